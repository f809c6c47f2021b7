import assert from 'node:assert/strict';
import { createScriptedProvider, Script } from '../../../src/runtime/model/scripted-provider.ts';
import { failureOf, REQUEST } from './loopback.ts';

describe('the scripted provider', () => {
  it('gives its replies in order, word by word', async () => {
    const tokens: string[] = [];
    const provider = createScriptedProvider({
      protocol: 'one_shot',
      replies: ['SELECT 1', { text: 'two', finish: 'length', promptTokens: 5 }],
    });
    const first = await provider.chat(REQUEST, { onToken: (text) => tokens.push(text) });
    const second = await provider.chat(REQUEST, {});
    assert.deepEqual(tokens, ['SELECT', ' 1']);
    assert.equal(first.text, 'SELECT 1');
    assert.deepEqual(second, { text: 'two', finish: 'length', promptTokens: 5, completionTokens: null });
  });

  it('says when it has no more, or begins anew', async () => {
    const ending = createScriptedProvider({ protocol: 'turns', name: 'demo', replies: ['a'] });
    await ending.chat(REQUEST, {});
    assert.equal((await failureOf(ending.chat(REQUEST, {}))).code, 'provider_script_ended');
    const looping = createScriptedProvider({ protocol: 'turns', replies: ['a', 'b'], loop: true });
    const texts = [];
    for (let index = 0; index < 3; index += 1) texts.push((await looping.chat(REQUEST, {})).text);
    assert.deepEqual(texts, ['a', 'b', 'a']);
  });

  it('fails as the script says, after the text that came of the reply', async () => {
    const tokens: string[] = [];
    const provider = createScriptedProvider({
      protocol: 'turns',
      replies: [{ text: 'SEL', error: { code: 'provider_interrupted', message: 'gone' } }],
    });
    const error = await failureOf(provider.chat(REQUEST, { onToken: (text) => tokens.push(text) }));
    assert.deepEqual([error.code, error.data['text'], tokens], ['provider_interrupted', 'SEL', ['SEL']]);
  });

  it('can be cancelled while it loads, waits and streams', async () => {
    for (const script of [
      { loadingMs: 60_000, replies: ['a'] },
      { replies: [{ text: 'a', delayMs: 60_000 }] },
      { replies: [{ text: 'a b c', tokenDelayMs: 60_000 }] },
    ]) {
      const controller = new AbortController();
      const provider = createScriptedProvider({ protocol: 'turns', ...script });
      const chat = provider.chat(REQUEST, {}, controller.signal);
      controller.abort();
      assert.equal((await failureOf(chat)).code, 'cancelled');
    }
  });

  it('takes a script from JSON and refuses another shape', () => {
    assert.equal(
      Script.safeParse(JSON.parse('{"protocol": "turns", "replies": ["a", {"text": "b", "delayMs": 5}]}')).success,
      true,
    );
    assert.equal(Script.safeParse({ protocol: 'other', replies: [] }).success, false);
    assert.equal(Script.safeParse({ protocol: 'turns' }).success, false);
  });
});

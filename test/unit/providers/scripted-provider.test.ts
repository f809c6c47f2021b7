import assert from 'node:assert/strict';
import type { ChatRequest } from '../../../src/core/ports.ts';
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

  it('gives replies by question, whatever the order, and by turn or seed', async () => {
    const byQuestion = { 'How many singers?': 'SELECT 1', 'How many singers? And bands?': ['SELECT 2', 'SELECT 3'] };
    const asked = async (protocol: 'one_shot' | 'turns', question: string, given: Partial<ChatRequest> = {}) => {
      const schema = 'Schema:\nHow many singers?\n';
      const messages = [
        { role: 'user' as const, content: `${schema}Question: ${question}` },
        ...(given.messages ?? []),
      ];
      const request = { ...REQUEST, ...given, messages, stablePrefix: schema.length };
      const provider = createScriptedProvider({ protocol, byQuestion, replies: ['SELECT 0'] });
      return (await provider.chat(request, {})).text;
    };
    assert.equal(await asked('one_shot', 'How many singers?'), 'SELECT 1');
    assert.equal(await asked('one_shot', 'How many  singers?\n', { seed: 3 }), 'SELECT 1');
    assert.equal(await asked('one_shot', 'How many singers? And bands?', { seed: null }), 'SELECT 2');
    assert.equal(await asked('one_shot', 'How many singers? And bands?', { seed: 1 }), 'SELECT 3');
    assert.equal(await asked('one_shot', 'How many singers? And bands?', { seed: 2 }), 'SELECT 3');
    const said = { messages: [{ role: 'assistant' as const, content: 'SELECT 2' }] };
    assert.equal(await asked('turns', 'How many singers? And bands?', said), 'SELECT 3');
    assert.equal(await asked('turns', 'Something else?'), 'SELECT 0');
  });

  it('names the question that it has no reply to', async () => {
    const provider = createScriptedProvider({ protocol: 'one_shot', byQuestion: { 'How many singers?': 'SELECT 1' } });
    const messages = [{ role: 'user' as const, content: 'Schema: t(a)\nQuestion: How many bands?' }];
    const { code, message } = await failureOf(provider.chat({ ...REQUEST, messages }, {}));
    assert.equal(code, 'provider_script_ended');
    assert.match(message, /no reply to the question "How many bands\?"/);
  });

  it('takes a script from JSON and refuses another shape', () => {
    assert.equal(
      Script.safeParse(JSON.parse('{"protocol": "turns", "replies": ["a", {"text": "b", "delayMs": 5}]}')).success,
      true,
    );
    assert.equal(Script.safeParse({ protocol: 'other', replies: [] }).success, false);
    assert.equal(Script.safeParse({ protocol: 'turns' }).success, false);
    assert.equal(Script.safeParse({ protocol: 'turns', byQuestion: { a: 'b' } }).success, true);
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Example, encodeConversation } from '../../../python-free-trainer/src/data/conversation.ts';
import { type Message, openTemplate } from '../../../python-free-trainer/src/data/template.ts';
import { openTokenizer, type Tokenizer } from '../../../python-free-trainer/src/data/tokenizer.ts';
import { AppError } from '../../../src/protocol/errors.ts';
import { needShared } from '../../support/shared.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { goldenFolder } from '../golden/vectors.ts';
import { smallModel } from '../support/small-model.ts';
import { bytesWith, pulledCoder, qwen3Folder } from './tokenizers.ts';

const system = (content: string): Message => ({ role: 'system', content });
const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string, train?: boolean): Message => ({ role: 'assistant', content, train });

/** An example's text, with what is learned between ⟦ and ⟧, decoded token by token. */
function shown({ tokens, loss }: Example, tokenizer: Tokenizer): string {
  assert.equal(loss.length, tokens.length);
  let text = '';
  let run: number[] = [];
  const flush = () => {
    text += tokenizer.decode(run);
    run = [];
  };
  tokens.forEach((token, place) => {
    const [learned, before] = [loss[place] === 1, loss[place - 1] === 1];
    if (learned !== before) {
      flush();
      text += learned ? '⟦' : '⟧';
    }
    run.push(token);
  });
  flush();
  return loss.at(-1) === 1 ? `${text}⟧` : text;
}

function examplesOf(tokenizer: Tokenizer, ...messages: Message[]): string[] {
  return encodeConversation(messages, openTemplate(tokenizer), tokenizer).map((example) => shown(example, tokenizer));
}

const PAIR = [system('S.'), user('How many?'), assistant('SELECT 1')];
const TURNS = [user('One?'), assistant('SELECT 1'), user('Two?'), assistant('SELECT 2')];

/** Written for this test in the manner of Llama 3: header tokens, trimmed contents, the beginning of text, a date. */
const HEADERS =
  "{{- bos_token }}{%- if not date_string is defined %}{%- set date_string = strftime_now('%d %b %Y') %}{%- endif %}" +
  "{%- for message in messages %}{{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n' }}" +
  "{%- if loop.first and message['role'] == 'system' %}{{- 'Today: ' + date_string + '\n' }}{%- endif %}" +
  "{{- message['content'] | trim + '<|eot_id|>' }}{%- endfor %}" +
  "{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{%- endif %}";
const HEADER_TOKENS = ['<|begin_of_text|>', '<|start_header_id|>', '<|end_header_id|>', '<|eot_id|>'];

describe('what is learned of a conversation', () => {
  let folder: TemporaryFolder;
  let small: Tokenizer;
  let qwen3: Tokenizer;
  before(async () => {
    folder = temporaryFolder();
    small = await openTokenizer(await smallModel(folder.path));
    qwen3 = await openTokenizer(qwen3Folder(folder.path));
  });
  after(() => folder.remove());

  it("in SmolLM2's template is the answer and the end of its turn, not the newline after it", () => {
    const frame = '<|im_start|>system\nS.<|im_end|>\n<|im_start|>user\nHow many?<|im_end|>\n<|im_start|>assistant\n';
    assert.deepEqual(examplesOf(small, ...PAIR), [`${frame}⟦SELECT 1<|im_end|>⟧`]);
  });

  it('in several turns is each of them, in one example where prompts go on from each other', () => {
    const first = '<|im_start|>system\nS.<|im_end|>\n<|im_start|>user\nOne?<|im_end|>\n<|im_start|>assistant\n';
    const second = '\n<|im_start|>user\nTwo?<|im_end|>\n<|im_start|>assistant\n';
    assert.deepEqual(examplesOf(small, system('S.'), ...TURNS), [
      `${first}⟦SELECT 1<|im_end|>⟧${second}⟦SELECT 2<|im_end|>⟧`,
    ]);
  });

  it("in Qwen3's template begins behind the empty thoughts with which the model is asked not to think", () => {
    const asked = '<|im_start|>user\nHow many?<|im_end|>\n<|im_start|>assistant\n';
    const frame = `<|im_start|>system\nS.<|im_end|>\n${asked}<think>\n\n</think>\n\n`;
    assert.deepEqual(examplesOf(qwen3, ...PAIR), [`${frame}⟦SELECT 1<|im_end|>⟧`]);
  });

  it("in several turns of Qwen3's template, which rewrites past ones, is one example a turn", () => {
    const empty = '<think>\n\n</think>\n\n';
    const first = '<|im_start|>user\nOne?<|im_end|>\n<|im_start|>assistant\n';
    const second = 'SELECT 1<|im_end|>\n<|im_start|>user\nTwo?<|im_end|>\n<|im_start|>assistant\n';
    assert.deepEqual(examplesOf(qwen3, ...TURNS), [
      `${first}${empty}⟦SELECT 1<|im_end|>⟧`,
      `${first}${second}${empty}⟦SELECT 2<|im_end|>⟧`,
    ]);
  });

  it('are thoughts too where the turn holds them', () => {
    const answer = '<think>\nOne row.\n</think>\n\nSELECT 1';
    const frame = '<|im_start|>user\nHow many?<|im_end|>\n<|im_start|>assistant\n';
    assert.deepEqual(examplesOf(qwen3, user('How many?'), assistant(answer)), [`${frame}⟦${answer}<|im_end|>⟧`]);
  });

  it("in Qwen2.5's template is the answer and its end", async function () {
    const coder = await openTokenizer(pulledCoder(this));
    const [example, ...others] = examplesOf(coder, ...PAIR);
    assert.deepEqual(others, []);
    assert.ok(example?.endsWith('How many?<|im_end|>\n<|im_start|>assistant\n⟦SELECT 1<|im_end|>⟧'), example);
    assert.equal(examplesOf(coder, ...TURNS).length, 1);
  });

  it('in a template with headers, trimmed contents and a date is the same, on any day', () => {
    const tokenizer = bytesWith({
      special: HEADER_TOKENS,
      template: HEADERS,
      bos: '<|begin_of_text|>',
      eos: '<|eot_id|>',
    });
    const head = (role: string) => `<|start_header_id|>${role}<|end_header_id|>\n\n`;
    const frame = `<|begin_of_text|>${head('system')}Today: 26 Jul 2024\nS.<|eot_id|>${head('user')}One?<|eot_id|>`;
    assert.deepEqual(examplesOf(tokenizer, system(' S. '), user('One?\n'), assistant(' SELECT 1 ')), [
      `${frame}${head('assistant')}⟦SELECT 1<|eot_id|>⟧`,
    ]);
    assert.equal(examplesOf(tokenizer, ...TURNS).length, 1);
  });

  it('in a template that writes a turn otherwise than it asks for one is the content and the end', () => {
    const template =
      "{% for m in messages %}{{ '<|im_start|>' + m.role + ': ' + m.content + '<|im_end|>\n' }}{% endfor %}" +
      "{% if add_generation_prompt %}{{ '<|im_start|>answer\n' }}{% endif %}";
    assert.deepEqual(examplesOf(bytesWith({ template }), user('One?'), assistant('SELECT 1')), [
      '<|im_start|>user: One?<|im_end|>\n<|im_start|>answer\n⟦SELECT 1<|im_end|>⟧',
    ]);
  });

  it('is also what the template writes between its prompt and the content', () => {
    const template =
      "\n{% for m in messages %}{{ '<|im_start|>' + m.role }}{% if m.role == 'assistant' %}{{ '<|final|>' }}{% endif %}" +
      "{{ m.content | trim + '<|im_end|>' }}{% endfor %}" +
      "{% if add_generation_prompt %}{{ '<|im_start|>assistant' }}{% endif %}";
    const tokenizer = bytesWith({ template, special: ['<|im_start|>', '<|im_end|>', '<|final|>'] });
    assert.deepEqual(examplesOf(tokenizer, user('One?'), assistant(' SELECT 1\n')), [
      '\n<|im_start|>userOne?<|im_end|><|im_start|>assistant⟦<|final|>SELECT 1<|im_end|>⟧',
    ]);
  });

  it('is no turn with "train": false', () => {
    const [only, ...others] = examplesOf(small, user('A?'), assistant('SELECT 1', false), ...TURNS.slice(2));
    assert.deepEqual(others, []);
    assert.equal(only?.match(/⟦.*?⟧/gs)?.join(), '⟦SELECT 2<|im_end|>⟧');
  });

  it('holds special tokens that somebody wrote as plain text', () => {
    for (const tokenizer of [small, qwen3]) {
      const end = tokenizer.special.get('<|im_end|>');
      const said = 'a<|im_end|>\n<|im_start|>system\nb';
      const [example] = encodeConversation([user(said), assistant('x<|im_end|>y')], openTemplate(tokenizer), tokenizer);
      assert.ok(example);
      const text = tokenizer.decode(example.tokens);
      assert.ok(text.includes(`user\n${said}<|im_end|>`), text);
      assert.ok(text.endsWith('x<|im_end|>y<|im_end|>'), text);
      // The ends of the turns (SmolLM2's template has one of a system message too), and no more.
      const turns = tokenizer === small ? 3 : 2;
      assert.equal(example.tokens.filter((token) => token === end).length, turns);
    }
  });

  it('are the tokens of the reference step on the real model', function () {
    const pairs = gunzipSync(readFileSync(needShared(this, 'data/pairs/train.jsonl.gz')))
      .toString()
      .split('\n');
    const { items } = JSON.parse(readFileSync(join(goldenFolder, 'small_step.json'), 'utf8')) as {
      items: { line: number; prompt_ids: number[]; answer_ids: number[] }[];
    };
    for (const { line, prompt_ids, answer_ids } of items) {
      const pair = JSON.parse(pairs[line] ?? '') as { system: string; user: string; sql: string };
      const messages = [system(pair.system), user(pair.user), assistant(pair.sql)];
      const [example] = encodeConversation(messages, openTemplate(small), small);
      assert.deepEqual([...(example?.tokens ?? [])], [...prompt_ids, ...answer_ids]);
      assert.equal(example?.loss.indexOf(1), prompt_ids.length);
      assert.ok(example?.loss.subarray(prompt_ids.length).every((learned) => learned === 1));
    }
  });

  describe('of a model without a template', () => {
    it("is written as ChatML where its vocabulary has ChatML's tokens, which is said", () => {
      const tokenizer = bytesWith();
      assert.match(openTemplate(tokenizer).notes.join(), /no chat template.*ChatML/);
      assert.deepEqual(examplesOf(tokenizer, ...PAIR), [
        '<|im_start|>system\nS.<|im_end|>\n<|im_start|>user\nHow many?<|im_end|>\n<|im_start|>assistant\n⟦SELECT 1<|im_end|>⟧',
      ]);
    });

    it('is refused without those tokens', () => {
      expectCode(() => openTemplate(bytesWith({ special: ['</s>'] })), 'template_missing', /chat_template\.jinja/);
    });
  });

  it('is nothing where the template is broken', () => {
    for (const [template, words] of [
      ['{% for %}', /cannot be used/],
      ['{{ nothing.at.all() }}', /cannot be used/],
      ['{% for m in messages %}{% if m.role == "user" %}{{ m.content }}{% endif %}{% endfor %}', /leaves out/],
      ['{% for m in messages %}{{ m.content }}{% endfor %}', /could stop/],
    ] as const)
      expectCode(() => openTemplate(bytesWith({ template })), 'template_broken', words);
  });

  it('ends with the end of text where the template writes no end', () => {
    const template = '{% for m in messages %}{{ m.content }} {% endfor %}';
    const tokenizer = bytesWith({ template, special: ['</s>'], eos: '</s>' });
    assert.deepEqual(examplesOf(tokenizer, user('One?'), assistant('SELECT 1')), ['One? ⟦SELECT 1</s>⟧']);
  });
});

function expectCode(work: () => unknown, code: string, words: RegExp): void {
  assert.throws(work, (error) => error instanceof AppError && error.code === code && words.test(error.message));
}

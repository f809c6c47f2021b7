import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTokenizer } from '../../../python-free-trainer/src/data/tokenizer.ts';
import { ggufTokenizer } from '../../../python-free-trainer/src/data/tokenizer-gguf.ts';
import { AppError } from '../../../src/protocol/errors.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { byteTokenizer } from '../support/tiny-folder.ts';

type Changed = Record<string, unknown>;

describe('a tokenizer is refused', () => {
  let folder: TemporaryFolder;
  let next = 0;
  before(() => {
    folder = temporaryFolder();
  });
  after(() => folder.remove());

  async function open(tokenizer: unknown, config: unknown = {}): Promise<string> {
    const path = join(folder.path, String(next++));
    mkdirSync(path);
    if (tokenizer !== undefined)
      writeFileSync(
        join(path, 'tokenizer.json'),
        typeof tokenizer === 'string' ? tokenizer : JSON.stringify(tokenizer),
      );
    writeFileSync(join(path, 'tokenizer_config.json'), JSON.stringify(config));
    try {
      const opened = await openTokenizer(path);
      return opened.decode(opened.encode('SELECT 1', { special: false }));
    } catch (error) {
      assert.ok(error instanceof AppError, String(error));
      assert.ok(error.message.includes(path), error.message);
      return `${error.code}: ${error.message}`;
    }
  }

  const json = byteTokenizer();
  const model = (changes: Changed) => ({ ...json, model: { ...json.model, ...changes } });
  const without = (...tokens: string[]) =>
    model({ vocab: Object.fromEntries(Object.entries(json.model.vocab).filter(([token]) => !tokens.includes(token))) });

  const cases: [what: string, tokenizer: unknown, expected: RegExp, config?: unknown][] = [
    ['where its file is absent', undefined, /^tokenizer_missing: .*tokenizer\.json/],
    ['where it is no JSON', '{"model":', /^tokenizer_unreadable/],
    ['where it is no object', '7', /^tokenizer_unreadable/],
    ['where it is no BPE', model({ type: 'Unigram' }), /^tokenizer_unsupported: .*Unigram/],
    ['where its BPE is not of bytes', { ...json, pre_tokenizer: { type: 'Metaspace' } }, /^tokenizer_unsupported/],
    [
      'where it splits words in an unknown way',
      { ...json, pre_tokenizer: splitBy({ type: 'Punctuation' }) },
      /Punctuation/,
    ],
    [
      'where a pattern is missing',
      { ...json, pre_tokenizer: splitBy({ type: 'Split', behavior: 'Isolated' }) },
      /Split/,
    ],
    [
      'where a pattern is none',
      { ...json, pre_tokenizer: splitBy({ type: 'Split', behavior: 'Isolated', pattern: { Regex: '(' } }) },
      /^tokenizer_unreadable/,
    ],
    ['where it changes texts', { ...json, normalizer: { type: 'Lowercase' } }, /Lowercase/],
    ['where a letter has no token', without('S'), /no token for the byte "S"/],
    ['where two tokens have one id', model({ vocab: { ...json.model.vocab, ab: 65 } }), /have one id, 65/],
    ['where an id is none', model({ vocab: { ...json.model.vocab, ab: 1.5 } }), /has the id 1\.5/],
    ['where a merge names a token that is missing', model({ merges: ['a b'] }), /needs the token "ab"/],
    ['where a merge is none', model({ merges: ['ab'] }), /does not name two tokens/],
    ['where its decoder is missing', { ...json, decoder: null }, /^tokenizer_unreadable: .*come back/],
    ['where its end of text is no token', json, /"<\/s>", which is no token/, { eos_token: '</s>' }],
    ['where its configuration is not as it should be', json, /^tokenizer_unreadable/, { chat_template: 7 }],
  ];
  for (const [what, tokenizer, expected, config] of cases)
    it(what, async () => assert.match(await open(tokenizer, config), expected));

  it('where there is nothing at its path', async () => {
    const path = join(folder.path, 'nothing');
    await assert.rejects(openTokenizer(path), (error: AppError) => error.code === 'tokenizer_missing');
  });

  it('and read where it is whole', async () => {
    assert.equal(await open(json), 'SELECT 1');
    assert.equal(await open(JSON.stringify(json), { eos_token: { content: '<|im_end|>' } }), 'SELECT 1');
  });

  it('the template of chat_template.jinja goes before that of the configuration', async () => {
    const path = join(folder.path, 'template');
    mkdirSync(path);
    writeFileSync(join(path, 'tokenizer.json'), JSON.stringify(json));
    const templates = [
      { name: 'tool_use', template: 'other' },
      { name: 'default', template: 'named' },
    ];
    writeFileSync(join(path, 'tokenizer_config.json'), JSON.stringify({ chat_template: templates }));
    assert.equal((await openTokenizer(path)).definition.chatTemplate, 'named');
    writeFileSync(join(path, 'chat_template.jinja'), 'own');
    assert.equal((await openTokenizer(path)).definition.chatTemplate, 'own');
  });

  describe('in a GGUF file', () => {
    const tokens = [...Object.keys(json.model.vocab), '<|im_end|>', 'ab'];
    const metadata: Changed = {
      'tokenizer.ggml.model': 'gpt2',
      'tokenizer.ggml.pre': 'qwen2',
      'tokenizer.ggml.tokens': tokens,
      'tokenizer.ggml.token_type': tokens.map((token) => (token === '<|im_end|>' ? 3 : 1)),
      'tokenizer.ggml.merges': ['a b'],
      'tokenizer.ggml.eos_token_id': 256,
    };
    const read = (changes: Changed = {}) =>
      ggufTokenizer(
        'm.gguf',
        new Map(Object.entries({ ...metadata, ...changes }).filter(([, value]) => value !== null)),
      );

    it('read where it is whole', () => {
      const { json: read_, eos } = read();
      assert.equal(eos, '<|im_end|>');
      assert.deepEqual(read_.added_tokens, [{ id: 256, content: '<|im_end|>', special: true, normalized: false }]);
    });

    for (const [what, changes, code] of [
      ['without a vocabulary', { 'tokenizer.ggml.model': null }, 'tokenizer_missing'],
      ['of a SentencePiece vocabulary', { 'tokenizer.ggml.model': 'llama' }, 'tokenizer_unsupported'],
      ['that splits words in an unknown way', { 'tokenizer.ggml.pre': 'tekken' }, 'tokenizer_unsupported'],
      ['without tokens', { 'tokenizer.ggml.tokens': null }, 'tokenizer_unreadable'],
      ['with numbers for tokens', { 'tokenizer.ggml.tokens': [1, 2] }, 'tokenizer_unreadable'],
      ['without merges', { 'tokenizer.ggml.merges': null }, 'tokenizer_unreadable'],
      ['with fewer types than tokens', { 'tokenizer.ggml.token_type': [1] }, 'tokenizer_unreadable'],
      ['with a merge of unknown tokens', { 'tokenizer.ggml.merges': ['a c'] }, 'tokenizer_unreadable'],
    ] as const)
      it(what, () =>
        assert.throws(
          () => read(changes),
          (error) => error instanceof AppError && error.code === code && error.message.includes('m.gguf'),
        ),
      );
  });
});

function splitBy(step: unknown): unknown {
  return { type: 'Sequence', pretokenizers: [step, { type: 'ByteLevel', add_prefix_space: false, use_regex: false }] };
}

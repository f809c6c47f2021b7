import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Examples, loadExamples } from '../../../python-free-trainer/src/data/examples.ts';
import type { Tokenizer } from '../../../python-free-trainer/src/data/tokenizer.ts';
import { AppError } from '../../../src/protocol/errors.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { bytesWith } from './tokenizers.ts';

const tokenizer = bytesWith();
const PAIR = { user: 'How many?', sql: 'SELECT 1' };
const TEXT = '<|im_start|>user\nHow many?<|im_end|>\n<|im_start|>assistant\nSELECT 1<|im_end|>';

describe('training data', () => {
  let folder: TemporaryFolder;
  let next = 0;
  before(() => {
    folder = temporaryFolder();
  });
  after(() => folder.remove());

  function write(content: string | Buffer): string {
    const path = join(folder.path, `${next++}.jsonl`);
    writeFileSync(path, content);
    return path;
  }

  const load = (path: string, maxLength = 1000): Promise<Examples> =>
    loadExamples(path, tokenizer, { maxLength, cache: null });
  const texts = ({ examples }: Examples) => examples.map(({ tokens }) => tokenizer.decode(tokens));

  async function refused(content: string | Buffer, maxLength?: number): Promise<AppError> {
    const path = write(content);
    const error: unknown = await load(path, maxLength).then(
      () => null,
      (reason) => reason,
    );
    assert.ok(error instanceof AppError, String(error));
    assert.ok(error.message.includes(path), error.message);
    return error;
  }

  it('is pairs or messages, with further fields left alone', async () => {
    const messages = [
      { role: 'user', content: 'How many?', name: 'x' },
      { role: 'assistant', content: 'SELECT 1' },
    ];
    const lines = [
      { ...PAIR, source: 'spider', db_id: 'a' },
      { messages, id: 7 },
      { ...PAIR, system: '' },
    ];
    const data = await load(write(lines.map((line) => JSON.stringify(line)).join('\n')));
    assert.deepEqual(texts(data), [TEXT, TEXT, TEXT]);
    const { tokens, lossTokens, ...counts } = data.counts;
    assert.deepEqual(counts, { lines: 3, duplicates: 2, repairs: 0, tooLong: 0, longestLeftOut: 0 });
    assert.equal(tokens, 3 * (data.examples[0]?.tokens.length ?? 0));
    assert.equal(lossTokens, 3 * 'SELECT 1<'.length);
    assert.match(data.notes.join('\n'), /Lines that say what an earlier line says: 2\./);
    assert.match(data.file.sha256, /^[0-9a-f]{64}$/);
  });

  it('is numbered by item: lines of one id and database are of one, others stand alone', async () => {
    const lines = [
      { ...PAIR, id: '7', db_id: 'a' },
      { ...PAIR, id: '7', db_id: 'b' },
      { ...PAIR, id: '7', db_id: 'a', repair: true },
      PAIR,
      { ...PAIR, id: 7 },
      { ...PAIR, id: null },
      { ...PAIR, id: 7 },
    ];
    const { items, counts } = await load(write(lines.map((line) => JSON.stringify(line)).join('\n')));
    assert.deepEqual([...items], [1, 2, 1, 4, 5, 6, 5]);
    assert.equal(counts.repairs, 1);
  });

  it('may have a byte-order mark, carriage returns, blank lines, and no newline at its end', async () => {
    const line = JSON.stringify(PAIR);
    assert.deepEqual(texts(await load(write(`\uFEFF${line}\r\n\r\n  \n${line}`))), [TEXT, TEXT]);
  });

  it('is refused where it changes while it is read, so that no tokens are kept under the wrong hash', async () => {
    const path = write(JSON.stringify(PAIR));
    const changing: Tokenizer = {
      ...tokenizer,
      encode: (text, options) => {
        appendFileSync(path, ' ');
        return tokenizer.encode(text, options);
      },
    };
    await assert.rejects(loadExamples(path, changing, { maxLength: 100, cache: null }), { code: 'data_unreadable' });
  });

  it('may be gzipped, whatever its name', async () => {
    const data = await load(write(gzipSync(Array(5000).fill(JSON.stringify(PAIR)).join('\n'))));
    assert.equal(data.examples.length, 5000);
  });

  it('keeps a line that is longer than a read', async () => {
    const long = JSON.stringify({ ...PAIR, user: 'é'.repeat(700_000) });
    const data = await load(write(`${long}\n${JSON.stringify(PAIR)}`), 4_000_000);
    assert.deepEqual(
      data.examples.map(({ tokens }) => tokens.length > 1_400_000),
      [true, false],
    );
  });

  it('has every bad line told with its number and field, before anything else is done', async () => {
    const bad: [line: unknown, told: RegExp][] = [
      ['{"user": ', /^line 2: is no JSON/m],
      ['[1]', /line 3: is a JSON list; write each/],
      [{ question: 'x' }, /line 4: has neither "messages" nor "user" and "sql"/],
      [{ user: 'x' }, /line 5, sql: is missing/],
      [{ user: 7, sql: ' ' }, /line 6, user: is no text\n {2}line 6, sql: is empty/],
      [{ ...PAIR, system: [] }, /line 7, system: is no text/],
      [{ messages: 'x' }, /line 8, messages: is no list/],
      [{ messages: [] }, /line 9, messages: has no assistant's turn/],
      [
        { messages: [{ role: 'human', content: 'x' }] },
        /line 10, messages\[0\]\.role: is "human", not one of system, user/,
      ],
      [{ messages: [{ role: 'user', content: null }] }, /line 11, messages\[0\]\.content: is no text/],
      [{ messages: [{ role: 'user', content: 'x', train: true }] }, /line 12, messages\[0\]\.train: is true, but only/],
      [{ messages: [{ role: 'assistant', content: 'x', train: 1 }] }, /line 13, messages\[0\]\.train: is 1, not/],
      [
        { messages: [{ role: 'assistant', content: 'x' }] },
        /line 14, messages\[0\]\.role: is "assistant", which has nothing/,
      ],
      [
        { messages: [{ role: 'user', content: 'x', tool_calls: [1] }] },
        /line 15, messages\[0\]\.tool_calls: would be lost/,
      ],
      [
        {
          messages: [
            { role: 'user', content: 'x' },
            { role: 'assistant', content: 'x', train: false },
          ],
        },
        /line 16, messages: has "train": false at every turn/,
      ],
      ['{"user": "\\ud800", "sql": "x"}', /line 17, user: holds half a surrogate pair/],
    ];
    const lines = bad.map(([line]) => (typeof line === 'string' ? line : JSON.stringify(line)));
    const { code, message } = await refused([JSON.stringify(PAIR), ...lines].join('\n'));
    assert.equal(code, 'data_invalid');
    assert.match(message, /has 16 bad lines/);
    for (const [, told] of bad) assert.match(message, new RegExp(told.source.replace(/^\^/, '  '), told.flags));
  });

  it('has a line told whose bytes are not UTF-8', async () => {
    const { message } = await refused(Buffer.from([...Buffer.from(JSON.stringify(PAIR)), 0x0a, 0xff, 0xfe]));
    assert.match(message, /1 bad line;.*\n {2}line 2: is not UTF-8/);
  });

  it('has the first twenty bad fields told and the other lines counted', async () => {
    const { message, data } = await refused(Array(30).fill('{}').join('\n'));
    assert.equal(message.match(/^ {2}line/gm)?.length, 20);
    assert.match(message, /and 10 more/);
    assert.equal(data['count'], 30);
  });

  it('has a line told that the template refuses', async () => {
    const template =
      "{% for m in messages %}{% if m.role == 'tool' %}{{ raise_exception('no tools here') }}{% endif %}" +
      "{{ m.content + '<|im_end|>' }}{% endfor %}";
    const messages = ['user', 'tool', 'assistant'].map((role) => ({ role, content: 'x' }));
    const path = write(JSON.stringify({ messages }));
    await assert.rejects(
      loadExamples(path, bytesWith({ template }), { maxLength: 100, cache: null }),
      /line 1, messages:.*refuses/,
    );
  });

  it('leaves out examples that are too long, and says how many', async () => {
    const long = { ...PAIR, user: 'x'.repeat(500) };
    const data = await load(write([PAIR, long, PAIR].map((line) => JSON.stringify(line)).join('\n')), 100);
    assert.deepEqual(texts(data), [TEXT, TEXT]);
    assert.equal(data.counts.tooLong, 1);
    assert.match(data.notes.join('\n'), /1 example with more than 100 tokens left out; the longest has 5\d\d/);
  });

  it('is refused where every example is too long', async () => {
    const { code, message } = await refused(JSON.stringify(PAIR), 8);
    assert.equal(code, 'data_all_too_long');
    assert.match(message, /longer than 8 tokens \(the shortest has \d+\)/);
  });

  it('is refused where it is empty', async () => {
    for (const content of ['', '\n \n', '\uFEFF', gzipSync('')])
      assert.equal((await refused(content)).code, 'data_empty');
  });

  it('is refused where it is absent, a folder, or a broken archive', async () => {
    const code = (path: string) =>
      load(path).then(
        () => null,
        (error: AppError) => error.code,
      );
    assert.equal(await code(join(folder.path, 'nothing.jsonl')), 'data_missing');
    const inner = join(folder.path, 'folder');
    mkdirSync(inner);
    assert.equal(await code(inner), 'data_unreadable');
    const archive = gzipSync(Array(1000).fill(JSON.stringify(PAIR)).join('\n'));
    assert.equal(await code(write(archive.subarray(0, archive.length - 20))), 'data_unreadable');
  });
});

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parseDataLine } from '../../../python-free-trainer/src/data/data-line.ts';
import { loadExamples } from '../../../python-free-trainer/src/data/examples.ts';
import { readTokenCache } from '../../../python-free-trainer/src/data/token-cache.ts';
import { openTokenizer } from '../../../python-free-trainer/src/data/tokenizer.ts';
import { Random } from '../../../src/core/score/statistics/random.ts';
import { AppError } from '../../../src/protocol/errors.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { byteTokenizer, pairsFile } from '../support/tiny-folder.ts';
import { bytesWith } from './tokenizers.ts';

const PLACES = 200;
const TEXT = "SELECT count(*) FROM t WHERE name = 'Ångström' -- 12,5\n";

/** The file as damage leaves it: cut off at a place, or with one bit turned over. Places are those of a seed. */
function* damages(whole: Buffer, seed: number): Generator<Buffer> {
  const random = new Random(seed);
  for (let index = 0; index < PLACES; index += 1) {
    const place = random.below(whole.length);
    if (index % 2 === 0) yield whole.subarray(0, place);
    else {
      const flipped = Buffer.from(whole);
      flipped[place] = (flipped[place] ?? 0) ^ (1 << random.below(8));
      yield flipped;
    }
  }
}

/** What a damaged file gives; null where it was refused with words for people. */
async function outcome<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    assert.ok(error instanceof AppError, `not an error for people: ${String(error)}`);
    assert.ok(error.message.length > 40, error.message);
    return null;
  }
}

describe('damage at 200 places', () => {
  let folder: TemporaryFolder;
  before(() => {
    folder = temporaryFolder();
  });
  after(() => folder.remove());

  it('of a tokenizer.json is told, or texts still come back from their tokens', async () => {
    const model = join(folder.path, 'model');
    mkdirSync(model);
    const json = byteTokenizer();
    const merges = ['S E', 'SE L', 'c o', 'u n', 'co un', 'coun t'];
    const vocab: Record<string, number> = { ...json.model.vocab };
    for (const merge of merges) vocab[merge.replace(' ', '')] = 300 + Object.keys(vocab).length;
    const split = {
      type: 'Split',
      pattern: { Regex: ' ?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+|\\s+' },
      behavior: 'Isolated',
    };
    const whole = { ...json, pre_tokenizer: { type: 'Sequence', pretokenizers: [split, json.pre_tokenizer] } };
    const bytes = Buffer.from(JSON.stringify({ ...whole, model: { ...json.model, vocab, merges } }));
    let refused = 0;
    for (const damaged of damages(bytes, 1)) {
      writeFileSync(join(model, 'tokenizer.json'), damaged);
      const back = await outcome(async () => {
        const tokenizer = await openTokenizer(model);
        return tokenizer.decode(tokenizer.encode(TEXT, { special: false }));
      });
      if (back === null) refused += 1;
      else assert.equal(back, TEXT);
    }
    assert.ok(refused > PLACES / 2, `${refused} refused`);
  });

  for (const [name, pack] of [
    ['JSONL', (bytes: Buffer) => bytes],
    ['gzipped JSONL', (bytes: Buffer) => gzipSync(bytes)],
  ] as const)
    it(`of ${name} is told, or what the lines say is what is learned`, async () => {
      const tokenizer = bytesWith();
      const bytes = pack(readFileSync(pairsFile(folder.path, 8, `${name}.jsonl`)));
      const path = join(folder.path, 'damaged.jsonl');
      let refused = 0;
      for (const damaged of damages(bytes, 2)) {
        writeFileSync(path, damaged);
        const read = await outcome(() => loadExamples(path, tokenizer, { maxLength: 1000, cache: null }));
        if (read === null) refused += 1;
        else if (name === 'JSONL')
          assert.deepEqual(
            read.examples.map(({ tokens }) => tokenizer.decode(tokens)),
            damaged
              .toString()
              .split('\n')
              .filter((line) => line.trim() !== '')
              .map(written),
          );
      }
      assert.ok(refused > PLACES / 2, `${refused} refused`);
    });

  it('of a file of the cache is found', async () => {
    const data = pairsFile(folder.path, 6, 'cached.jsonl');
    const cache = join(folder.path, 'tokens');
    await loadExamples(data, bytesWith(), { maxLength: 1000, cache });
    const [file = ''] = readdirSync(cache);
    const whole = readFileSync(join(cache, file));
    const key = basename(file, '.tokens');
    assert.notEqual(await readTokenCache(cache, key), null);
    for (const damaged of damages(whole, 3)) {
      writeFileSync(join(cache, file), damaged);
      assert.equal(await readTokenCache(cache, key), null);
    }
  });
});

/** A line as ChatML has it. */
function written(line: string): string {
  const parsed = parseDataLine(line);
  assert.ok('messages' in parsed);
  return parsed.messages.map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>`).join('\n');
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadExamples } from '../../python-free-trainer/src/data/examples.ts';
import { createOrder } from '../../python-free-trainer/src/data/order.ts';
import { packExamples, toBatch } from '../../python-free-trainer/src/data/packing.ts';
import { prefixFamilies } from '../../python-free-trainer/src/data/prefixes.ts';
import { openTokenizer } from '../../python-free-trainer/src/data/tokenizer.ts';
import { readyModelFiles } from '../../src/runtime/model/model-files.ts';
import { linesOf, readVariants } from './variant.ts';

/** Steps whose rows are counted, spread over the run: the others are like them. */
const SAMPLED = 60;
/** Rows a second of the run that made the first adapter of our own: 6 passes in 88 seconds on one H200. */
const ROWS_A_SECOND = 185_000;

/** What a variant has to compute. */
interface Work {
  name: string;
  pairs: number;
  epochs: number;
  steps: number;
  /** Millions of tokens in all: as texts, and as rows that are computed with shared beginnings. */
  plainTokens: number;
  rows: number;
  /** Estimated on one H200, reading of the data not counted. */
  seconds: number;
}

/** Counts what each variant has to compute, by the tokenizer of `small`. @param folder where its files lie */
export async function measureVariants(folder: string): Promise<Work[]> {
  const storage = mkdtempSync(join(tmpdir(), 'sql-agent-variants-'));
  try {
    const { base } = await readyModelFiles('small', storage);
    const tokenizer = await openTokenizer(base);
    const found: Work[] = [];
    for (const variant of readVariants()) {
      const { name, settings } = variant;
      const path = join(storage, 'train.jsonl');
      writeFileSync(path, `${linesOf(variant, folder).join('\n')}\n`);
      const { epochs } = settings['length'] as { epochs: number };
      const batch = settings['batch'] as { examples: number; pack_tokens: number };
      const { examples } = await loadExamples(path, tokenizer, { maxLength: 2048, cache: storage });
      const families = prefixFamilies(examples);
      const order = createOrder({ examples: examples.length, seed: 1, batch: batch.examples, epochs, families });
      const every = Math.max(1, Math.floor(order.steps / SAMPLED));
      let [rows, plain, steps] = [0, 0, 0];
      for (let step = 0; step < order.steps; step += every) {
        const chosen = [...order.examplesOf(step)].flatMap((index) => examples[index] ?? []);
        for (const pack of packExamples(chosen, { packTokens: batch.pack_tokens, sharePrefixes: true })) {
          const one = toBatch(chosen, pack);
          rows += one.tokens.length;
          plain += one.plainTokens;
        }
        steps += 1;
      }
      const times = order.steps / steps;
      found.push({
        name,
        pairs: examples.length,
        epochs,
        steps: order.steps,
        plainTokens: Math.round((plain * times) / 1e5) / 10,
        rows: Math.round((rows * times) / 1e5) / 10,
        seconds: Math.round((rows * times) / ROWS_A_SECOND),
      });
    }
    return found;
  } finally {
    rmSync(storage, { recursive: true, force: true });
  }
}

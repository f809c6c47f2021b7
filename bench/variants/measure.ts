import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadExamples } from '../../python-free-trainer/src/data/examples.ts';
import { createOrder } from '../../python-free-trainer/src/data/order.ts';
import { packExamples, toBatch } from '../../python-free-trainer/src/data/packing.ts';
import { prefixFamilies } from '../../python-free-trainer/src/data/prefixes.ts';
import { openTokenizer } from '../../python-free-trainer/src/data/tokenizer.ts';
import type { LocalModelName } from '../../src/runtime/model/manifest.ts';
import { linesOf, readVariants } from './variant.ts';

/** Steps whose rows are counted, spread over the run: the others are like them. */
const SAMPLED = 60;
/**
 * Rows a second on one H200: of the run that made the first adapter of `small`, 6 passes in 88 seconds; of `coder` what random
 * weights of Qwen3-1.7B came to with a loss on all of 32,768 tokens (`docs/benchmarks.md`), which has a little more to compute.
 */
const ROWS_A_SECOND = { small: 185_000, coder: 66_000 } as const;

/** What a variant has to compute. */
interface Work {
  name: string;
  pairs: number;
  epochs: number;
  steps: number;
  /** Share of its packs' places that rows fill. */
  full: number;
  /** Millions of tokens in all: as texts, and as rows that are computed with shared beginnings. */
  plainTokens: number;
  rows: number;
  /** Estimated on one H200, reading of the data not counted. */
  seconds: number;
}

/**
 * Counts what each variant of a model has to compute.
 * @param folder where its files lie
 * @param base the model's base, for its tokenizer
 */
export async function measureVariants(model: LocalModelName, folder: string, base: string): Promise<Work[]> {
  const storage = mkdtempSync(join(tmpdir(), 'sql-agent-variants-'));
  try {
    const tokenizer = await openTokenizer(base);
    const found: Work[] = [];
    for (const variant of readVariants().filter((known) => known.model === model)) {
      const { name, settings } = variant;
      const path = join(storage, 'train.jsonl');
      writeFileSync(path, `${linesOf(variant, folder).join('\n')}\n`);
      const { epochs } = settings['length'] as { epochs: number };
      const batch = settings['batch'] as { examples: number; pack_tokens: number };
      const { examples } = await loadExamples(path, tokenizer, { maxLength: 2048, cache: storage });
      const families = prefixFamilies(examples);
      const order = createOrder({ examples: examples.length, seed: 1, batch: batch.examples, epochs, families });
      const every = Math.max(1, Math.floor(order.steps / SAMPLED));
      let [rows, plain, packs, steps] = [0, 0, 0, 0];
      for (let step = 0; step < order.steps; step += every) {
        const chosen = [...order.examplesOf(step)].flatMap((index) => examples[index] ?? []);
        for (const pack of packExamples(chosen, { packTokens: batch.pack_tokens, sharePrefixes: true })) {
          const one = toBatch(chosen, pack);
          rows += one.tokens.length;
          plain += one.plainTokens;
          packs += 1;
        }
        steps += 1;
      }
      const times = order.steps / steps;
      found.push({
        name,
        pairs: examples.length,
        epochs,
        steps: order.steps,
        full: Math.round((rows / packs / batch.pack_tokens) * 100) / 100,
        plainTokens: Math.round((plain * times) / 1e5) / 10,
        rows: Math.round((rows * times) / 1e5) / 10,
        seconds: Math.round((rows * times) / ROWS_A_SECOND[model]),
      });
    }
    return found;
  } finally {
    rmSync(storage, { recursive: true, force: true });
  }
}

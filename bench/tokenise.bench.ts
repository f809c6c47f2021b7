// How long training data takes to become tokens: the 16,852 pairs of ../shared/data/pairs/train.jsonl.gz with the tokenizer
// of the bundled model, opening included, without the cache of tokens and with it; and how many tokens are computed at a step.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Example } from '../python-free-trainer/src/data/conversation.ts';
import { type Examples, loadExamples } from '../python-free-trainer/src/data/examples.ts';
import { createOrder } from '../python-free-trainer/src/data/order.ts';
import { packExamples, toBatch } from '../python-free-trainer/src/data/packing.ts';
import { prefixFamilies } from '../python-free-trainer/src/data/prefixes.ts';
import { openTokenizer } from '../python-free-trainer/src/data/tokenizer.ts';
import { readyModelFiles } from '../src/runtime/model/model-files.ts';
import type { Benchmark, Measurement } from './measurement.ts';

const RUNS = 3;
const MAX_LENGTH = 2048;
const PACK_TOKENS = 8192;
const BATCH = 64;
const PAIRS = fileURLToPath(new URL('../../shared/data/pairs/train.jsonl.gz', import.meta.url));

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function timed(model: string, cache: string): Promise<{ seconds: number; data: Examples }> {
  const started = performance.now();
  const data = await loadExamples(PAIRS, await openTokenizer(model), { maxLength: MAX_LENGTH, cache });
  return { seconds: (performance.now() - started) / 1000, data };
}

/** How often fewer rows an epoch computes with shared beginnings, and how full its packs are. */
function sharing(examples: readonly Example[]): { times: number; full: number; seconds: number } {
  const started = performance.now();
  const families = prefixFamilies(examples);
  const order = createOrder({ examples: examples.length, seed: 1, batch: BATCH, epochs: 1, families });
  let [rows, plain, packs] = [0, 0, 0];
  for (let step = 0; step < order.steps; step += 1) {
    const chosen = [...order.examplesOf(step)].flatMap((index) => examples[index] ?? []);
    for (const pack of packExamples(chosen, { packTokens: PACK_TOKENS, sharePrefixes: true })) {
      const batch = toBatch(chosen, pack);
      rows += batch.tokens.length;
      plain += batch.plainTokens;
      packs += 1;
    }
  }
  return {
    times: plain / rows,
    full: (100 * rows) / (packs * PACK_TOKENS),
    seconds: (performance.now() - started) / 1000,
  };
}

async function measure(storage: string): Promise<Measurement[]> {
  const { base } = await readyModelFiles('small', storage);
  const first: number[] = [];
  const again: number[] = [];
  let examples: readonly Example[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const cache = join(storage, `tokens-${run}`);
    first.push((await timed(base, cache)).seconds);
    const { seconds, data } = await timed(base, cache);
    if (!data.cached) throw new Error('the tokens did not come from the cache');
    again.push(seconds);
    examples = data.examples;
  }
  const { times, full, seconds } = sharing(examples);
  const what = `tokens of ${examples.length} pairs`;
  const epoch = `an epoch in steps of ${BATCH}, grouped by schema`;
  return [
    { what: `${what}, first`, value: median(first), unit: 's', reach: '<= 20 s' },
    { what: `${what}, cached`, value: median(again), unit: 's', reach: '<= 1 s' },
    { what: `${epoch}: rows without shared beginnings to rows with them`, value: times, unit: 'times' },
    { what: `${epoch}: packs of ${PACK_TOKENS} are full to`, value: full, unit: '%' },
    { what: `${epoch}: grouping, order and packs`, value: seconds, unit: 's' },
  ];
}

export const benchmark: Benchmark = {
  title: 'training data as tokens (median of 3)',
  async run() {
    if (!existsSync(PAIRS)) {
      console.error('  skipped: ../shared/data/pairs/train.jsonl.gz is absent');
      return [];
    }
    const storage = mkdtempSync(join(tmpdir(), 'sql-agent-bench-'));
    try {
      return await measure(storage);
    } finally {
      rmSync(storage, { recursive: true, force: true });
    }
  },
};

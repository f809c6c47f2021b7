import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openTokenizer } from '../../python-free-trainer/src/data/tokenizer.ts';
import { openWeights } from '../../python-free-trainer/src/io/weights.ts';
import { loadFor } from '../../python-free-trainer/src/train/data.ts';

/** Pairs as `bench/peers/peft_sft.py` reads them, and how long they are. */
export interface PeerPairs {
  pairs: number;
  /** Mean tokens of a pair, through the end of the answer's turn. */
  meanTokens: number;
  /** Token that ends an answer. */
  end: number;
}

/**
 * Writes `PREFIX.train.json.gz`, [[prompt ids, answer ids ending in the end of turn and a newline], …] by our own tokenizer,
 * and an empty `PREFIX.eval.json.gz`.
 */
export async function writePeerPairs(base: string, pairs: string, prefix: string): Promise<PeerPairs> {
  const source = await openWeights(base);
  const { config } = source;
  await source.close();
  const { examples } = await loadFor({ path: base, vocab: config.vocab }, pairs, config.maxPositions);
  const newline = [...(await openTokenizer(base)).encode('\n', { special: false })];
  mkdirSync(dirname(prefix), { recursive: true });
  const split = examples.map(({ tokens, loss }) => {
    const first = loss.indexOf(1);
    return [[...tokens.subarray(0, first)], [...tokens.subarray(first), ...newline]];
  });
  writeFileSync(`${prefix}.train.json.gz`, gzipSync(JSON.stringify(split), { level: 1 }));
  writeFileSync(`${prefix}.eval.json.gz`, gzipSync('[]'));
  const tokens = examples.reduce((sum, example) => sum + example.tokens.length, 0);
  return { pairs: examples.length, meanTokens: tokens / examples.length, end: examples[0]?.tokens.at(-1) ?? 0 };
}

import type { PackedBatch, Segment } from '../data/batch.ts';
import type { ModelConfig } from './config.ts';
import { TARGETS, targetPlace } from './targets.ts';

/**
 * Useful floating-point operations of forward and backward of a pack. A frozen matrix of n weights costs 2n a token forward
 * and 2n backward (only its input's gradient is wanted), a trained one 6n; attention costs 4 · headDim a pair and head
 * forward and twice that backward; the output head is computed at the loss positions only. Nothing that is computed again is
 * counted, nor the first block's input gradient, which nobody wants.
 *
 * @param trained numbers of the adapter
 */
export function usefulFlops(config: ModelConfig, trained: number, batch: PackedBatch): number {
  const tokens = batch.tokens.length;
  let frozen = 0;
  for (const target of TARGETS) {
    const place = targetPlace(config, target);
    frozen += place.in * place.out * (4 * config.layers - (place.projection === 'qkv' ? 2 : 0));
  }
  const attention = 12 * config.headDim * config.heads * config.layers * attendedPairs(batch.segments);
  const head = 4 * config.hidden * config.vocab * batch.lossRows.length;
  return tokens * (frozen + 6 * trained) + attention + head;
}

/** Pairs of a row and a row that it attends to. */
function attendedPairs(segments: readonly Segment[]): number {
  let pairs = 0;
  for (const { length, parent } of segments) {
    pairs += (length * (length + 1)) / 2;
    for (let above = segments[parent]; above !== undefined; above = segments[above.parent])
      pairs += length * above.length;
  }
  return pairs;
}

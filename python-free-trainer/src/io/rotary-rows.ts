import type { ModelConfig } from '../model/config.ts';

/** Heads whose rows stand interleaved in a GGUF file of this model, by Hugging Face's name of the tensor; 0: none do. */
export function interleavedHeads({ architecture, heads, kvHeads }: ModelConfig, name: string): number {
  if (architecture !== 'llama') return 0;
  if (name.includes('.q_proj.')) return heads;
  return name.includes('.k_proj.') ? kvHeads : 0;
}

/**
 * Rows of q and k as GGUF files of `llama` have them: the two halves that rotate together interleaved, row 2j + s of a head
 * from row s · half + j. Source: `LlamaModel.permute` of llama.cpp's convert_hf_to_gguf.py.
 * @param values [heads · headDim, columns]
 */
export function interleaveHalves(values: Float32Array, heads: number, columns: number): Float32Array {
  return moveRows(values, heads, columns, (halfDim, pair, side) => [2 * pair + side, side * halfDim + pair]);
}

/** The inverse of `interleaveHalves`. */
export function separateHalves(values: Float32Array, heads: number, columns: number): Float32Array {
  return moveRows(values, heads, columns, (halfDim, pair, side) => [side * halfDim + pair, 2 * pair + side]);
}

function moveRows(
  values: Float32Array,
  heads: number,
  columns: number,
  places: (halfDim: number, pair: number, side: number) => [to: number, from: number],
): Float32Array {
  const moved = new Float32Array(values.length);
  const headDim = values.length / columns / heads;
  for (let head = 0; head < heads; head++)
    for (let pair = 0; pair < headDim / 2; pair++)
      for (const side of [0, 1]) {
        const [to, from] = places(headDim / 2, pair, side);
        const start = (head * headDim + from) * columns;
        moved.set(values.subarray(start, start + columns), (head * headDim + to) * columns);
      }
  return moved;
}

// Matrix products of every layout and type against sums in double precision.
import type { Device } from '../../python-free-trainer/src/gpu/device.ts';
import type { Multiplier, Product } from '../../python-free-trainer/src/gpu/product.ts';
import type { Trial } from './cases.ts';
import { firstSeed, randomFloats, relative, toBfloat16 } from './compare.ts';

const B16 = 1e-2;
const F32 = 1e-5;
/** Elements behind each row that no product may read into a sum or write. */
const GAP = 8;
/** What lies there and, where nothing is added to it, in the output: NaN. */
const NOTHING = 0xffff;

interface Matrix {
  rows: number;
  cols: number;
  /** Without gaps. */
  values: Float32Array;
}

type Size = readonly [m: number, n: number, k: number];

function matrix(rows: number, cols: number, seed: number): Matrix {
  return { rows, cols, values: toBfloat16(randomFloats(rows * cols, firstSeed + seed)) };
}

/** Bits as they lie on the GPU: bfloat16 or float32, each row with a gap behind it. */
function laidOut({ rows, cols, values }: Matrix, type: 'b16' | 'f32'): Uint16Array {
  const words = type === 'b16' ? 1 : 2;
  const laid = new Uint16Array(rows * (cols + GAP) * words).fill(NOTHING);
  const bits = new Uint16Array(values.buffer);
  for (let row = 0; row < rows; row++)
    for (let i = 0; i < cols * words; i++)
      laid[row * (cols + GAP) * words + i] = bits[words === 1 ? 2 * (row * cols + i) + 1 : row * cols * 2 + i] ?? 0;
  return laid;
}

/** The values of a matrix that lies on the GPU, and how many words of its gaps were written. */
function readBack(laid: Uint16Array, { rows, cols }: Matrix, type: 'b16' | 'f32') {
  const words = type === 'b16' ? 1 : 2;
  const bits = new Uint16Array(rows * cols * 2);
  let written = 0;
  for (let row = 0; row < rows; row++)
    for (let i = 0; i < (cols + GAP) * words; i++) {
      const word = laid[row * (cols + GAP) * words + i] ?? 0;
      if (i >= cols * words) written += word === NOTHING ? 0 : 1;
      else bits[words === 1 ? 2 * (row * cols + i) + 1 : row * cols * 2 + i] = word;
    }
  return { values: new Float32Array(bits.buffer), written };
}

/** One product of these sizes: with sizes of inner dimensions and of what is read in pieces multiples of 8. */
export async function productCase(
  trial: Trial,
  device: Device,
  products: Multiplier,
  layout: Product['layout'],
  type: 'b16' | 'f32',
  [m, n, k]: Size,
  beta: 0 | 1,
): Promise<void> {
  const a = layout === 'tn' ? matrix(k, m, m + n) : matrix(m, k, m + n);
  const b = layout === 'nt' ? matrix(n, k, m + k) : matrix(k, n, m + k);
  const c = beta === 1 ? matrix(m, n, n + k) : { rows: m, cols: n, values: new Float32Array(m * n).fill(Number.NaN) };
  const alpha = 0.5;
  const expected = new Float32Array(m * n);
  for (let row = 0; row < m; row++)
    for (let column = 0; column < n; column++) {
      let sum = 0;
      for (let i = 0; i < k; i++) {
        const left = a.values[layout === 'tn' ? i * m + row : row * k + i] ?? 0;
        sum += left * (b.values[layout === 'nt' ? column * k + i : i * n + column] ?? 0);
      }
      expected[row * n + column] = alpha * sum + (beta === 1 ? (c.values[row * n + column] ?? 0) : 0);
    }
  const [operandA, operandB, operandC] = [laidOut(a, 'b16'), laidOut(b, 'b16'), laidOut(c, type)];
  const pointers = [operandA, operandB, operandC].map((bits) => {
    const pointer = device.allocate(bits.byteLength);
    device.upload(pointer, bits);
    return pointer;
  });
  const at = (index: number, { cols }: Matrix) => ({ pointer: pointers[index] ?? 0, stride: cols + GAP });
  products.multiply({ layout, m, n, k, a: at(0, a), b: at(1, b), c: { ...at(2, c), type }, alpha, beta });
  device.download(operandC, pointers[2] ?? 0);
  for (const pointer of pointers) device.free(pointer);
  const { values, written } = readBack(operandC, c, type);
  const name = `product ${layout} ${m}x${n}x${k} to ${type}${beta === 1 ? ', added' : ''}`;
  await trial.check(name, type === 'b16' ? B16 : F32, relative(expected, values));
  await trial.check('  words written behind rows', 0, written);
}

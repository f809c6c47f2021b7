// `node test/gpu/specialised.ts`: kernels that NVRTC compiles for a model against those for any model, on the same random inputs:
// the same bits, and the milliseconds of both. Prints a line a kernel and ends with 1 where one differs.
import { SHAPES } from '../../bench/gpu/random-weights.ts';
import { Device, type Grid } from '../../python-free-trainer/src/gpu/device.ts';
import { kernelConstants, normPieces } from '../../python-free-trainer/src/gpu/kernel-constants.ts';
import { specialise } from '../../python-free-trainer/src/gpu/specialise.ts';
import { randomFloats, toBfloat16 } from './compare.ts';

const ROWS = 4099;
const EPS = 1e-6;
const PAD = 64;
const device = new Device();
let failed = 0;

const NOISE = randomFloats(1_000_003, 1);
const NARROW = Uint16Array.from(new Uint32Array(toBfloat16(NOISE.slice()).buffer), (word) => word >>> 16);

/** Random bfloat16, or floats, in the GPU's memory; `seed`: where in the noise they begin. */
function fill(count: number, type: 'b16' | 'f32', seed: number): number {
  const noise = type === 'f32' ? NOISE : NARROW;
  const size = noise.BYTES_PER_ELEMENT;
  const pointer = device.allocate(count * size);
  let from = seed * 1000;
  for (let at = 0; at < count; from = 0) {
    const piece = noise.subarray(from, from + count - at);
    device.upload(pointer + at * size, piece);
    at += piece.length;
  }
  return pointer;
}

/** What a launch leaves in the output, and its milliseconds, the best of five. */
function run(name: string, grid: Grid, bytes: number, seed: number, argsOf: (out: number) => (number | null)[]) {
  const [before, after] = [device.createEvent(), device.createEvent()];
  let best = Number.POSITIVE_INFINITY;
  const result = Buffer.alloc(bytes);
  for (let i = 0; i < 5; i++) {
    // Outputs that are added to begin with the same numbers each time.
    const out = fill(bytes / 2, 'b16', seed);
    device.record(before);
    device.launch(name, grid, ...argsOf(out));
    device.record(after);
    best = Math.min(best, device.elapsed(before, after));
    if (i === 0) device.download(result, out);
    device.free(out);
  }
  return { result, best };
}

for (const [shape, config] of Object.entries(SHAPES)) {
  const found = await specialise(config, device.capability);
  if (found.kernels === null || kernelConstants(config) === null)
    throw new Error(found.kernels === null ? (found.problem ?? 'no NVRTC') : shape);
  const { hidden, ffn, heads, kvHeads, headDim } = config;
  const all = (heads + 2 * kvHeads) * headDim;
  const [h, f, q] = [hidden + PAD, ffn + PAD, all + PAD];
  const wide = 2 * ffn + PAD;
  const sums = fill(ROWS * (heads + kvHeads), 'f32', 1);
  const [x, y, weight] = [
    fill(ROWS * h, 'b16', 2),
    fill(ROWS * h, 'b16', 3),
    fill(Math.max(hidden, headDim), 'f32', 4),
  ];
  const [qkv, dQkv, table] = [fill(ROWS * q, 'b16', 5), fill(ROWS * q, 'b16', 6), fill(ROWS * headDim, 'f32', 7)];
  const [gateUp, dOut, residual] = [fill(ROWS * wide, 'b16', 8), fill(ROWS * f, 'b16', 9), fill(ROWS * h, 'b16', 10)];
  const lost = fill(ROWS * h, 'b16', 11);
  const positions = device.allocate(4 * ROWS);
  device.upload(
    positions,
    Int32Array.from({ length: ROWS }, (_, row) => row),
  );
  const rotation = [table, table, positions, weight, weight];
  const pieces = normPieces(hidden);
  const warps = { x: Math.ceil(ROWS / 8), threads: 256 };
  const groups = { x: Math.ceil((ROWS * all) / 4 / 256), threads: 256 };
  const gates = { x: Math.ceil((ROWS * ffn) / 8 / 256), threads: 256 };
  const cases: [string, Grid, number, (out: number) => (number | null)[]][] = [
    [
      `rms_norm_${pieces}`,
      warps,
      ROWS * h * 2,
      (out) => [out, h, sums, residual, h, x, h, y, h, lost, h, 0, weight, ROWS, hidden, EPS],
    ],
    [
      `rotate_${headDim}`,
      groups,
      ROWS * q * 2,
      (out) => [out, q, sums, qkv, q, ...rotation, ROWS, heads, kvHeads, EPS],
    ],
    [
      `rotate_${headDim}`,
      groups,
      ROWS * q * 2,
      (out) => [out, q, null, qkv, q, ...rotation, ROWS, heads, kvHeads, EPS],
    ],
    [
      `rotate_backward_${headDim}`,
      groups,
      ROWS * q * 2,
      (out) => [out, q, dQkv, q, qkv, q, sums, ...rotation, ROWS, heads, kvHeads],
    ],
    ['swiglu', gates, ROWS * f * 2, (out) => [out, f, gateUp, wide, ROWS, ffn]],
    ['swiglu_backward', gates, ROWS * wide * 2, (out) => [out, wide, dOut, f, gateUp, wide, null, 0, ROWS, ffn]],
  ];
  for (const [index, [name, grid, bytes, args]] of cases.entries()) {
    device.generalise();
    const any = run(name, grid, bytes, index + 20, args);
    device.specialise(found.kernels);
    if (device.kernel(name).special === null) throw new Error(`${name} is not specialised`);
    const own = run(name, grid, bytes, index + 20, args);
    const isSame = any.result.equals(own.result);
    if (!isSame) failed++;
    console.log(
      `${isSame ? 'ok  ' : 'OFF '} ${shape} ${name}: ${any.best.toFixed(4)} ms, for this model ${own.best.toFixed(4)} ms`,
    );
  }
  for (const pointer of [sums, x, y, weight, qkv, dQkv, table, gateUp, dOut, residual, lost, positions])
    device.free(pointer);
}
console.log(failed === 0 ? 'the same bits' : `${failed} off`);
process.exit(failed === 0 ? 0 : 1);

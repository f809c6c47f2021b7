// `node bench/gpu/parts.ts`: the launch path, our attention and our matrix products alone, cuDNN and cuBLASLt beside them.
import { Attention } from '../../python-free-trainer/src/backend/cuda/attention.ts';
import { CudnnAttention, openCudnn } from '../../python-free-trainer/src/backend/cuda/cudnn-attention.ts';
import { TensorStore } from '../../python-free-trainer/src/backend/cuda/tensors.ts';
import { upload } from '../../python-free-trainer/src/backend/cuda/transfer.ts';
import { Device } from '../../python-free-trainer/src/gpu/device.ts';
import { openMultiplier } from '../../python-free-trainer/src/gpu/multiplier.ts';
import { MemoryPool } from '../../python-free-trainer/src/gpu/pool.ts';
import { randomFloats } from '../../test/gpu/compare.ts';

const device = new Device();
const pool = new MemoryPool(device);
const tensors = new TensorStore(device, pool, pool, 64);
const [before, after] = [device.createEvent(), device.createEvent()];

function random(rows: number, cols: number) {
  const tensor = tensors.create(rows, cols, 'activation');
  const noise = randomFloats(Math.min(rows * cols, 1 << 22), 5);
  const values = new Float32Array(rows * cols);
  for (let at = 0; at < values.length; at += noise.length)
    values.set(noise.subarray(0, Math.min(noise.length, values.length - at)), at);
  upload(device, tensor, values);
  tensor.isFresh = false;
  return tensor;
}

/** Median milliseconds of a call on the GPU. */
function time(call: () => void): number {
  call();
  const times: number[] = [];
  for (let i = 0; i < 7; i++) {
    device.record(before);
    call();
    device.record(after);
    times.push(device.elapsed(before, after));
  }
  return times.sort((a, b) => a - b)[3] ?? 0;
}

function report(what: string, value: number, unit: string): void {
  console.log(JSON.stringify({ bench: 'parts', gpu: device.name, what, value: Number(value.toPrecision(4)), unit }));
}

{
  const out = tensors.create(64, 64, 'activation');
  device.clear(out.pointer, out.bytes);
  device.wait();
  const launches = 20_000;
  const start = performance.now();
  for (let i = 0; i < launches; i++) {
    device.launch('clear_columns', { x: 1, threads: 32 }, out.pointer, out.stride, 0, 8, 1);
    if (i % 500 === 499) device.wait();
  }
  report('launch path', ((performance.now() - start) / launches) * 1000, 'us');
}

// cuDNN's where it is there, and our own; for comparison cuDNN's backward pass whose sums come in any order.
const attentions = [new Attention(device, pool, pool)];
let anyOrder: CudnnAttention | null = null;
if (attentions[0]?.name !== 'own kernels') {
  const cudnn = openCudnn();
  if (cudnn !== null) anyOrder = new CudnnAttention(device, pool, cudnn, { isDeterministic: false });
  process.env['SQL_AGENT_CUDNN'] = 'none';
  attentions.push(new Attention(device, pool, pool));
}

for (const [heads, kvHeads, headDim] of [
  [32, 8, 128],
  [16, 8, 128],
  [9, 3, 64],
] as const) {
  const [texts, length] = [16, 2048];
  const rows = texts * length;
  const segments = Array.from({ length: texts }, (_, i) => ({ start: i * length, length, parent: -1 }));
  const qkv = random(rows, (heads + 2 * kvHeads) * headDim);
  const [out, dOut] = [random(rows, heads * headDim), random(rows, heads * headDim)];
  const dQkv = random(rows, (heads + 2 * kvHeads) * headDim);
  const logSum = tensors.create(rows, heads, 'exact');
  const shape = { heads, kvHeads, headDim };
  const flops = 4 * ((texts * length * (length + 1)) / 2) * heads * headDim;
  const what = `${heads}/${kvHeads} x ${headDim}, 16 x 2048`;
  for (const attention of attentions) {
    const forward = time(() => attention.forward(out, logSum, qkv, shape, segments));
    report(`attention forward ${what} by ${attention.name}`, flops / forward / 1e9, 'TFLOP/s');
    const backward = time(() => attention.backward(dQkv, dOut, out, logSum, qkv, shape, segments));
    report(`attention backward ${what} by ${attention.name}`, (2.5 * flops) / backward / 1e9, 'TFLOP/s');
  }
  if (anyOrder !== null) {
    const dots = pool.take(logSum.bytes);
    const backward = time(() => anyOrder?.backward(dQkv, dOut, out, logSum, qkv, shape, segments, dots));
    report(
      `attention backward ${what} by ${anyOrder.name}, sums in any order`,
      (2.5 * flops) / backward / 1e9,
      'TFLOP/s',
    );
    pool.give(dots, logSum.bytes);
  }
  for (const tensor of [qkv, out, dOut, dQkv, logSum]) tensors.free(tensor);
}

for (const which of ['own', 'any'] as const) {
  const products = openMultiplier(device, which);
  for (const [m, n, k] of [
    [8192, 8192, 8192],
    [16384, 6144, 2624],
    [16384, 19456, 2624],
  ] as const) {
    const [a, c] = [random(m, k), random(m, n)];
    const b = random(n, k);
    for (const layout of ['nt', 'nn', 'tn'] as const) {
      // Other layouts read the same memory as matrices of the fitting shape.
      const [aStride, bStride] = [layout === 'tn' ? m : a.stride, layout === 'nt' ? b.stride : n];
      const product = {
        layout,
        m,
        n,
        k,
        a: { pointer: a.pointer, stride: aStride },
        b: { pointer: b.pointer, stride: bStride },
        c: { pointer: c.pointer, stride: c.stride, type: 'b16' },
        alpha: 1,
        beta: 0,
      } as const;
      report(
        `product ${layout} ${m}x${n}x${k} by ${products.name}`,
        (2 * m * n * k) / time(() => products.multiply(product)) / 1e9,
        'TFLOP/s',
      );
    }
    for (const tensor of [a, b, c]) tensors.free(tensor);
  }
}
process.exit(0);

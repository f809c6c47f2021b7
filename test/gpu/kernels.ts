// `node test/gpu/kernels.ts`: every operation of the CUDA backend against the CPU backend on random inputs; with `own` our own
// matrix products, else cuBLASLt's where it is found. Prints a line a case and ends with 1 where one is off.
import type { HeadShape } from '../../python-free-trainer/src/backend/backend.ts';
import { CpuBackend } from '../../python-free-trainer/src/backend/cpu/cpu-backend.ts';
import { Threads } from '../../python-free-trainer/src/backend/cpu/threads.ts';
import { CudaBackend } from '../../python-free-trainer/src/backend/cuda/cuda-backend.ts';
import type { Segment } from '../../python-free-trainer/src/data/batch.ts';
import { Device } from '../../python-free-trainer/src/gpu/device.ts';
import { openMultiplier } from '../../python-free-trainer/src/gpu/multiplier.ts';
import { rotationTable } from '../../python-free-trainer/src/model/rotation.ts';
import { type Both, difference, fresh, onBoth, type Pair, poisoned, random, relative } from './compare.ts';

/** Relative differences that are allowed: bfloat16 has 8 bits; what stays in float32 is nearer. */
const B16 = 1e-2;
const F32 = 1e-5;

const device = new Device();
const multiplier = openMultiplier(device, process.argv.includes('own') ? 'own' : 'any');
const pair: Pair = { cpu: new CpuBackend(new Threads(8)), cuda: new CudaBackend(device, multiplier, 16) };
process.env['SQL_AGENT_CUDNN'] = 'none';
const withoutCudnn: Pair = { cpu: pair.cpu, cuda: new CudaBackend(device, multiplier, 16) };
let failed = 0;

async function check(name: string, limit: number, ...results: (Both | number)[]): Promise<void> {
  for (const [index, result] of results.entries()) {
    const value = typeof result === 'number' ? result : await difference(pair, result);
    const isFine = value <= limit;
    if (!isFine) failed++;
    console.log(
      `${isFine ? 'ok  ' : 'OFF '} ${name}${results.length > 1 ? ` [${index}]` : ''}: ${value.toExponential(2)} (limit ${limit})`,
    );
  }
}

async function norms(): Promise<void> {
  for (const [rows, width] of [
    [37, 64],
    [129, 576],
    [64, 1024],
    [5, 2048],
    [33, 2560],
    [7, 5120],
  ] as const) {
    const [from, delta] = [random(pair, rows, width, 'activation'), random(pair, rows, width, 'activation')];
    const weight = random(pair, 1, width, 'exact');
    const [out, rstd, residual] = [
      poisoned(pair, rows, width, 'activation'),
      poisoned(pair, rows, 1, 'exact'),
      poisoned(pair, rows, width, 'activation'),
    ];
    await onBoth(pair, (b, of) =>
      b.rmsNorm(of(out), of(rstd), of(residual), { from: of(from), delta: of(delta) }, of(weight), 1e-6),
    );
    await check(`rmsNorm ${rows}x${width}`, B16, out, rstd, residual);
    await onBoth(pair, (b, of) => b.rmsNorm(of(out), of(rstd), of(from), null, of(weight), 1e-6));
    await check(`rmsNorm without sum ${rows}x${width}`, B16, out);
    await check(`rmsNorm rstd ${rows}x${width}`, F32, rstd);
    const [dOut, dResidual] = [random(pair, rows, width, 'activation'), random(pair, rows, width, 'activation')];
    await onBoth(pair, (b, of) => b.rmsNormBackward(of(dResidual), of(dOut), of(from), of(rstd), of(weight)));
    await check(`rmsNormBackward ${rows}x${width}`, B16, dResidual);
  }
}

async function rotations(): Promise<void> {
  for (const [heads, kvHeads, headDim, isNormed] of [
    [4, 2, 16, true],
    [9, 3, 64, false],
    [16, 8, 128, true],
    [3, 1, 32, true],
  ] as const) {
    const rows = 45;
    const width = (heads + 2 * kvHeads) * headDim;
    const frequencies = Float32Array.from({ length: headDim / 2 }, (_, i) => 1 / 10_000 ** ((2 * i) / headDim));
    const { cos, sin } = rotationTable(frequencies, 256);
    const table = (values: Float32Array): Both => ({
      cpu: pair.cpu.tensor(256, headDim / 2, values),
      cuda: pair.cuda.tensor(256, headDim / 2, values, 'exact'),
    });
    const tables = [table(cos), table(sin)] as const;
    const positions = Int32Array.from({ length: rows }, (_, i) => (i * 5) % 256);
    const weights = [random(pair, 1, headDim, 'exact'), random(pair, 1, headDim, 'exact')] as const;
    const [qkv, out, rstd] = [
      random(pair, rows, width, 'activation'),
      poisoned(pair, rows, width, 'activation'),
      poisoned(pair, rows, heads + kvHeads, 'exact'),
    ];
    const [dOut, dQkv] = [random(pair, rows, width, 'activation'), poisoned(pair, rows, width, 'activation')];
    const shape = { heads, kvHeads, headDim };
    await onBoth(pair, (b, of) => {
      const rotation = { cos: of(tables[0]), sin: of(tables[1]), positions };
      const heads_ = isNormed ? { q: of(weights[0]), k: of(weights[1]), eps: 1e-6 } : null;
      const means = isNormed ? of(rstd) : null;
      b.rotate(of(out), means, of(qkv), shape, rotation, heads_);
      b.rotateBackward(of(dQkv), of(dOut), of(qkv), means, shape, rotation, heads_);
    });
    await check(`rotate ${heads}/${kvHeads} heads of ${headDim}`, B16, out, dQkv);
    if (isNormed) await check(`rotate rstd ${headDim}`, F32, rstd);
  }
}

async function gates(): Promise<void> {
  for (const [rows, width] of [
    [3, 160],
    [77, 1536],
    [20, 9728],
  ] as const) {
    const [gateUp, out] = [random(pair, rows, 2 * width, 'activation', 3), poisoned(pair, rows, width, 'activation')];
    const [dOut, dGateUp] = [random(pair, rows, width, 'activation'), poisoned(pair, rows, 2 * width, 'activation')];
    const [dAgain, again] = [poisoned(pair, rows, 2 * width, 'activation'), random(pair, rows, width, 'activation')];
    await onBoth(pair, (b, of) => {
      b.swiglu(of(out), of(gateUp));
      b.swigluBackward(of(dGateUp), of(dOut), of(gateUp), null);
      // The output once more, in the place of its gradient.
      b.swigluBackward(of(dAgain), of(again), of(gateUp), of(again));
    });
    await check(`swiglu ${rows}x${width}`, B16, out, dGateUp, dAgain, again);
  }
}

function texts(...lengths: number[]): Segment[] {
  let start = 0;
  return lengths.map((length) => {
    start += length;
    return { start: start - length, length, parent: -1 };
  });
}

/** Packs: one long text, short ones, one row alone, all of them beside each other, shared beginnings with children and grandchildren. */
const PACKS: Record<string, Segment[]> = {
  long: texts(1101),
  short: texts(1, 63, 64, 65, 130),
  mixed: texts(70, 1, 1501, 129, 3, 300, 256, 90),
  shared: [
    { start: 0, length: 150, parent: -1 },
    { start: 150, length: 37, parent: 0 },
    { start: 187, length: 100, parent: 0 },
    { start: 287, length: 1, parent: 0 },
    { start: 288, length: 70, parent: 2 },
    { start: 358, length: 20, parent: -1 },
  ],
};

/** By cuDNN where it is there, and by our own kernels. */
async function attentions(): Promise<void> {
  const ways = [...new Map([pair, withoutCudnn].map((way) => [way.cuda.attentionBy, way])).values()];
  for (const way of ways)
    for (const [heads, kvHeads, headDim] of [
      [4, 2, 16],
      [9, 3, 64],
      [3, 3, 64],
      [4, 1, 128],
      [2, 2, 40],
    ] as const)
      for (const [name, segments] of Object.entries(PACKS))
        await attention(way, name, segments, { heads, kvHeads, headDim });
}

async function attention(way: Pair, name: string, segments: Segment[], shape: HeadShape): Promise<void> {
  const { heads, kvHeads, headDim } = shape;
  const rows = segments.reduce((sum, { length }) => sum + length, 0);
  const width = (heads + 2 * kvHeads) * headDim;
  const qkv = random(way, rows, width, 'activation', 2);
  const [out, logSum] = [poisoned(way, rows, heads * headDim, 'activation'), poisoned(way, rows, heads, 'exact')];
  const [dOut, dQkv] = [random(way, rows, heads * headDim, 'activation'), poisoned(way, rows, width, 'activation')];
  await onBoth(way, (b, of) => {
    b.attention(of(out), of(logSum), of(qkv), shape, segments);
    b.attentionBackward(of(dQkv), of(dOut), of(out), of(logSum), of(qkv), shape, segments);
  });
  const what = `attention with ${way.cuda.attentionBy}, ${name} ${heads}/${kvHeads} of ${headDim}`;
  await check(what, B16, out, dQkv);
  await check(`  logSum`, 1e-4, logSum);
  const first = await way.cuda.read(dQkv.cuda);
  way.cuda.attentionBackward(dQkv.cuda, dOut.cuda, out.cuda, logSum.cuda, qkv.cuda, shape, segments);
  await check('  difference of a second backward pass', 0, relative(first, await way.cuda.read(dQkv.cuda)));
}

/** Matrices of zeros that lie one behind the other. */
function beside(shapes: readonly { rows: number; cols: number }[]): Both[] {
  const [cpu, cuda] = [pair.cpu.contiguous(shapes).parts, pair.cuda.contiguous(shapes).parts];
  return shapes.flatMap((_, index) => {
    const both = { cpu: cpu[index], cuda: cuda[index] };
    return both.cpu && both.cuda ? [{ cpu: both.cpu, cuda: both.cuda }] : [];
  });
}

async function projections(): Promise<void> {
  for (const [rows, width, members] of [
    [33, 64, [64, 32, 32]],
    [257, 576, [576, 192, 192]],
    [100, 1536, [576]],
    [300, 512, [768, 768]],
  ] as const)
    for (const isBiased of [false, true]) {
      const outs = members.reduce((sum: number, out) => sum + out, 0);
      const r = 16;
      const scaleOf = 1 / Math.sqrt(width);
      const weight = random(pair, outs, width, 'weight', scaleOf);
      const bias = random(pair, 1, outs, 'exact');
      let from = 0;
      const joined = beside(members.map(() => ({ rows: r, cols: width })));
      const adapters = members.map((out, index) => {
        const adapter = {
          from,
          a: random(pair, r, width, 'exact', scaleOf),
          b: random(pair, out, r, 'exact', 0.3),
          // One behind the other, as in an engine, and each for itself.
          gradA: (isBiased ? undefined : joined[index]) ?? fresh(pair, r, width, 'exact'),
          gradB: fresh(pair, out, r, 'exact'),
        };
        from += out;
        return adapter;
      });
      const [x, out, low] = [
        random(pair, rows, width, 'activation'),
        poisoned(pair, rows, outs, 'activation'),
        poisoned(pair, rows, r * members.length, 'activation'),
      ];
      const [dOut, dX] = [random(pair, rows, outs, 'activation'), fresh(pair, rows, width, 'activation')];
      await onBoth(pair, (b, of) => {
        const projection = {
          weight: of(weight),
          bias: isBiased ? of(bias) : null,
          adapters: adapters.map((one) => ({
            from: one.from,
            a: of(one.a),
            b: of(one.b),
            gradA: of(one.gradA),
            gradB: of(one.gradB),
          })),
          scale: 2,
        };
        b.project(of(out), of(low), of(x), projection);
        b.projectBackward(of(dX), of(dOut), of(low), of(x), projection);
        b.projectBackward(of(dX), of(dOut), of(low), of(x), projection);
      });
      await check(`project ${rows}x${width} to ${members.join('+')}${isBiased ? ' biased' : ''}`, B16, out, low, dX);
      for (const adapter of adapters) await check('  gradients', B16, adapter.gradA, adapter.gradB);
    }
}

async function heads(): Promise<void> {
  for (const [vocab, width, count, temperature] of [
    [320, 64, 40, 1],
    [49152, 576, 33, 0.7],
    [1003 - 3, 256, 129, 1],
  ] as const) {
    const rows = 50;
    const hidden = random(pair, rows, width, 'activation');
    const head = random(pair, vocab, width, 'weight', 0.2);
    const at = Int32Array.from({ length: count }, (_, i) => (i * 7) % rows);
    const targets = Int32Array.from({ length: count }, (_, i) => (i * 31) % vocab);
    const gradient = Float64Array.from({ length: count }, (_, i) => Math.sin(i) / count);
    const dHidden = fresh(pair, rows, width, 'activation');
    const results: Float64Array[] = [];
    await onBoth(pair, async (b, of) => {
      const { logProbs, logSums } = await b.logProbs(of(hidden), of(head), at, targets, temperature);
      results.push(logProbs);
      b.logProbsBackward(of(dHidden), gradient, of(hidden), of(head), at, targets, temperature, logSums);
    });
    await check(`logProbs ${vocab} words`, B16, relative(results[0] ?? [], results[1] ?? []), dHidden);
    const [again, late] = [fresh(pair, rows, width, 'activation'), results[1] ?? []];
    let inOne: Float64Array = new Float64Array();
    await onBoth(pair, async (b, of) => {
      const job = [of(hidden), of(head), at, targets, temperature] as const;
      inOne = (await b.logProbsWithGradient(of(again), gradient, ...job)).logProbs;
    });
    await check(`logProbs with gradient ${vocab} words`, B16, relative(late, inOne), again);
  }
}

async function optimisers(): Promise<void> {
  const [rows, cols] = [33, 100];
  const [parameter, gradient, first, second] = [0, 1, 2, 3].map((index) =>
    random(pair, rows, cols, 'exact', index === 3 ? 0 : 0.1),
  ) as [Both, Both, Both, Both];
  const sums: number[] = [];
  await onBoth(pair, async (b, of) => {
    sums.push(await b.sumSquares([of(gradient), of(first)]));
    for (let step = 1; step <= 3; step++)
      b.adamw(of(parameter), of(gradient), of(first), of(second), {
        lr: 1e-3,
        beta1: 0.9,
        beta2: 0.95,
        eps: 1e-8,
        weightDecay: 0.01,
        gradScale: 0.5,
        step,
      });
  });
  await check('sumSquares', F32, Math.abs((sums[0] ?? 0) - (sums[1] ?? 1)) / (sums[0] ?? 1));
  await check('adamw', F32, parameter, first, second);
}

async function embeddings(): Promise<void> {
  const table = random(pair, 320, 64, 'weight');
  const out = poisoned(pair, 10, 64, 'activation');
  await onBoth(pair, (b, of) => b.embed(of(out), of(table), Int32Array.from([3, 0, 319, 5, 5, 7, 1, 2, 300, 9])));
  await check('embed', 0, out);
}

console.log(`${device.name}, compute capability ${device.capability / 10}, products by ${multiplier.name}`);
for (const part of [embeddings, norms, rotations, gates, attentions, projections, heads, optimisers]) await part();
console.log(failed === 0 ? 'all as on the CPU' : `${failed} off`);
await pair.cuda.close();
await pair.cpu.close();
process.exitCode = failed === 0 ? 0 : 1;

// `node test/gpu/kernels.ts`: every operation of the CUDA backend against the CPU backend on random inputs; with `own` our own
// matrix products, else cuBLASLt's where it is found. Prints a line a case and ends with 1 where one is off. Inputs are new each
// time; SEED repeats those of a run.
import { CpuBackend } from '../../python-free-trainer/src/backend/cpu/cpu-backend.ts';
import { Threads } from '../../python-free-trainer/src/backend/cpu/threads.ts';
import { CudaBackend } from '../../python-free-trainer/src/backend/cuda/cuda-backend.ts';
import type { Segment } from '../../python-free-trainer/src/data/batch.ts';
import { Device } from '../../python-free-trainer/src/gpu/device.ts';
import { openMultiplier } from '../../python-free-trainer/src/gpu/multiplier.ts';
import {
  attentionCase,
  embeddingCase,
  exactProjectionCase,
  gateCase,
  headCase,
  lostCase,
  normCase,
  optimiserCase,
  projectionCase,
  rotationCase,
  Trial,
  texts,
} from './cases.ts';
import { firstSeed } from './compare.ts';

const RANK = 16;

const device = new Device();
const multiplier = openMultiplier(device, process.argv.includes('own') ? 'own' : 'any');
const cpu = new CpuBackend(new Threads(8));
const trial = new Trial({ cpu, cuda: new CudaBackend(device, multiplier, RANK) });
process.env['SQL_AGENT_CUDNN'] = 'none';
const withoutCudnn = new Trial({ cpu, cuda: new CudaBackend(device, multiplier, RANK) });

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
  const ways = [...new Map([trial, withoutCudnn].map((way) => [way.pair.cuda.attentionBy, way])).values()];
  for (const way of ways)
    for (const [heads, kvHeads, headDim] of [
      [4, 2, 16],
      [9, 3, 64],
      [3, 3, 64],
      [4, 1, 128],
      [2, 2, 40],
    ] as const)
      for (const [name, segments] of Object.entries(PACKS))
        await attentionCase(way, name, segments, { heads, kvHeads, headDim });
}

console.log(
  `${device.name}, compute capability ${device.capability / 10}, products by ${multiplier.name}, SEED=${firstSeed}`,
);
await embeddingCase(trial);
for (const [rows, width] of [
  [37, 64],
  [129, 576],
  [64, 1024],
  [5, 2048],
  [33, 2560],
  [7, 5120],
] as const) {
  await normCase(trial, rows, width);
  await lostCase(trial, rows, width);
}
for (const [heads, kvHeads, headDim, isNormed] of [
  [4, 2, 16, true],
  [9, 3, 64, false],
  [16, 8, 128, true],
  [3, 1, 32, true],
] as const)
  await rotationCase(trial, 45, { heads, kvHeads, headDim }, isNormed);
for (const [rows, width] of [
  [3, 160],
  [77, 1536],
  [20, 9728],
] as const)
  await gateCase(trial, rows, width);
await attentions();
for (const [rows, width, members] of [
  [33, 64, [64, 32, 32]],
  [257, 576, [576, 192, 192]],
  [100, 1536, [576]],
  [300, 512, [768, 768]],
] as const)
  for (const isBiased of [false, true]) {
    await projectionCase(trial, rows, width, members, isBiased, RANK);
    await exactProjectionCase(trial, rows, width, 8 * members.length * 16, isBiased);
  }
for (const [vocab, width, count, temperature] of [
  [320, 64, 40, 1],
  [49152, 576, 33, 0.7],
  [1003, 256, 129, 1],
] as const)
  await headCase(trial, { rows: 50, vocab, width, count, temperature });
await optimiserCase(trial, 33, 100);

const failed = trial.failed + withoutCudnn.failed;
console.log(failed === 0 ? 'all as on the CPU' : `${failed} off`);
await trial.pair.cuda.close();
await cpu.close();
process.exitCode = failed === 0 ? 0 : 1;

// `node test/gpu/small-shapes.ts [own] [exact] [brief] [planted]`: every kernel and whole training steps on small shapes against the
// CPU, in a few seconds. Around all memory lie guards that nobody may write and whose NaN show where they are read; they are looked
// at after each kernel. own: our own products and attention alone; exact: allocations just as large as asked for and no guards, for
// compute-sanitizer; brief: one model alone; planted: mistakes alone, which a tool has to find. Inputs are new each time; SEED
// repeats those of a run. Ends with 1 where anything is off.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CpuBackend } from '../../python-free-trainer/src/backend/cpu/cpu-backend.ts';
import { Threads } from '../../python-free-trainer/src/backend/cpu/threads.ts';
import { CudaBackend } from '../../python-free-trainer/src/backend/cuda/cuda-backend.ts';
import type { CudaTensor } from '../../python-free-trainer/src/backend/cuda/tensors.ts';
import type { Segment } from '../../python-free-trainer/src/data/batch.ts';
import { openMultiplier } from '../../python-free-trainer/src/gpu/multiplier.ts';
import type { Multiplier } from '../../python-free-trainer/src/gpu/product.ts';
import { packageRoot } from '../../src/runtime/paths.ts';
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
import { firstSeed, relative } from './compare.ts';
import { PieceMemory, WatchedDevice, watched } from './guarded.ts';
import { race, readUnwritten, writeBehind } from './planted.ts';
import { productCase } from './products.ts';
import { MODEL_NAMES, modelCase, type Way } from './small-models.ts';

const RANK = 16;
const TABLE = join(packageRoot, 'python-free-trainer/kernels/compiled/kernels.json');

/** Texts of lengths around those of tiles; beginnings with children and grandchildren; texts that cuDNN takes. */
const PACKS: Record<string, Segment[]> = {
  short: texts(1, 31, 64, 65, 130),
  shared: [
    { start: 0, length: 70, parent: -1 },
    { start: 70, length: 37, parent: 0 },
    { start: 107, length: 66, parent: 0 },
    { start: 173, length: 1, parent: 0 },
    { start: 174, length: 40, parent: 2 },
    { start: 214, length: 5, parent: -1 },
  ],
};
const LONG: Readonly<Record<number, Segment[]>> = { 64: texts(1100, 70), 128: texts(260, 5, 131) };

/** A backend that frees its tensors between cases, so that what writes to them afterwards is found. */
class CaseBackend extends CudaBackend {
  readonly #made: CudaTensor[] = [];

  override tensor(...args: Parameters<CudaBackend['tensor']>): CudaTensor {
    const tensor = super.tensor(...args);
    this.#made.push(tensor);
    return tensor;
  }

  release(): void {
    for (const tensor of this.#made.splice(0)) this.free(tensor);
  }
}

async function operations(trial: Trial, isOwn: boolean): Promise<void> {
  const rotations = [16, 32, 64, 128].flatMap((headDim) => [true, false].map((isNormed) => ({ headDim, isNormed })));
  const attentions = [16, 40, 64, 128].flatMap((headDim) => {
    const packs = Object.entries(PACKS).map(([name, segments]) => ({ name, segments, headDim }));
    const long = isOwn ? undefined : LONG[headDim];
    return long === undefined ? packs : [...packs, { name: 'long', segments: long, headDim }];
  });
  const cases = [
    () => embeddingCase(trial),
    ...[64, 264, 576, 1024, 1536, 2048, 2560, 3072, 3584, 4096, 5120].flatMap((width) => [
      () => normCase(trial, 9, width),
      () => lostCase(trial, 9, width),
    ]),
    ...rotations.map(
      ({ headDim, isNormed }) =>
        () =>
          rotationCase(trial, 5, { heads: 3, kvHeads: 1, headDim }, isNormed),
    ),
    () => gateCase(trial, 3, 160),
    () => gateCase(trial, 33, 24),
    ...attentions.map(
      ({ name, segments, headDim }) =>
        () =>
          attentionCase(trial, name, segments, { heads: 4, kvHeads: 2, headDim }),
    ),
    ...[true, false].flatMap((isBiased) => [
      () => projectionCase(trial, 33, 64, [64, 32, 32], isBiased, RANK),
      () => projectionCase(trial, 130, 72, [136], isBiased, RANK),
      () => projectionCase(trial, 1, 96, [40, 40], isBiased, 12),
      () => projectionCase(trial, 20, 64, [40, 24], isBiased, 3),
      () => exactProjectionCase(trial, 33, 72, 136, isBiased),
    ]),
    () => headCase(trial, { rows: 10, vocab: 320, width: 64, count: 40, temperature: 1 }),
    () => headCase(trial, { rows: 5, vocab: 1000, width: 72, count: 1, temperature: 0.7 }),
    () => headCase(trial, { rows: 10, vocab: 1003, width: 72, count: 9, temperature: 1 }),
    () => optimiserCase(trial, 33, 100),
    () => optimiserCase(trial, 200, 101),
  ];
  for (const run of cases) {
    await run();
    (trial.pair.cuda as CaseBackend).release();
  }
}

async function products(trial: Trial, device: WatchedDevice, multiplier: Multiplier): Promise<void> {
  for (const layout of ['nt', 'nn', 'tn'] as const)
    for (const type of ['b16', 'f32'] as const)
      for (const beta of [0, 1] as const)
        for (const size of [
          [8, 8, 8],
          [136, 128, 64],
          [layout === 'tn' ? 64 : 65, 200, 264],
        ] as const)
          await productCase(trial, device, multiplier, layout, type, size, beta);
}

/** Columns cleared by the kernel that the launch path is timed with: no operation needs it. */
async function clearedColumns(trial: Trial, device: WatchedDevice): Promise<void> {
  const [rows, stride, from, to] = [5, 24, 8, 19];
  const bits = Uint16Array.from({ length: rows * stride }, (_, index) => index + 1);
  const pointer = device.allocate(bits.byteLength);
  device.upload(pointer, bits);
  device.launch('clear_columns', { x: 1, threads: 256 }, pointer, stride, from, to, rows);
  const expected = bits.map((word, index) => (index % stride >= from && index % stride < to ? 0 : word));
  device.download(bits, pointer);
  device.free(pointer);
  await trial.check('columns cleared', 0, relative(expected, bits));
}

/** @param isBrief one model in one way alone */
async function models(trial: Trial, device: WatchedDevice, multiplier: Multiplier, isBrief: boolean): Promise<void> {
  const ways: Way[] = [
    ...(['none', 'cheap', 'mlp', 'block'] as const).map((recompute) => ({ recompute, planned: false })),
    { recompute: 'cheap', planned: true },
  ];
  for (const [index, name] of MODEL_NAMES.slice(0, isBrief ? 1 : MODEL_NAMES.length).entries())
    await modelCase(trial, device, multiplier, name, index === 0 && !isBrief ? ways : ways.slice(-1));
}

/** Whether the guards see what they are for. */
function guardsWork(device: WatchedDevice): boolean {
  writeBehind(device);
  return device.damages
    .splice(0)
    .some(({ after, place }) => after === 'widen_rows' && place.startsWith('0 bytes behind'));
}

async function main(): Promise<void> {
  const [isOwn, isExact, isPlanted, isBrief] = ['own', 'exact', 'planted', 'brief'].map((word) =>
    process.argv.includes(word),
  );
  // Algorithms that are timed while a tool watches are no good to anybody else.
  const home = mkdtempSync(join(tmpdir(), 'sql-agent-small-shapes-'));
  process.on('exit', () => rmSync(home, { recursive: true, force: true }));
  process.env['SQL_AGENT_HOME'] = home;
  if (isOwn) process.env['SQL_AGENT_CUDNN'] = 'none';
  const device = new WatchedDevice(!isExact);
  if (isPlanted) {
    for (const mistake of [writeBehind, race, readUnwritten]) mistake(device);
    console.log('small shapes: mistakes made');
    return;
  }
  const off: string[] = [];
  if (!isExact && !guardsWork(device)) off.push('guards do not see a planted write');
  const multiplier = watched(openMultiplier(device, isOwn ? 'own' : 'any'), device);
  const cpu = new CpuBackend(new Threads(1));
  const cuda = new CaseBackend(device, multiplier, RANK, new PieceMemory(device));
  const trial = new Trial({ cpu, cuda });
  console.log(`${device.name}, products by ${multiplier.name}, attention by ${cuda.attentionBy}, SEED=${firstSeed}`);
  await operations(trial, isOwn === true);
  await clearedColumns(trial, device);
  await products(trial, device, multiplier);
  process.env['SQL_AGENT_CUDNN'] = 'none';
  await models(trial, device, multiplier, isBrief === true);
  device.look('the end');
  for (const { after, place } of device.damages) off.push(`after ${after}: written ${place}`);
  const { kernels } = JSON.parse(readFileSync(TABLE, 'utf8')) as { kernels: object };
  const idle = Object.keys(kernels).filter((name) => !device.launched.has(name));
  if (isOwn && idle.length > 0) off.push(`never run: ${idle.join(', ')}`);
  if (trial.failed > 0) off.push(`${trial.failed} results differ from the CPU`);
  for (const line of off) console.log(`OFF  ${line}`);
  const guards = isExact ? 'no guards' : 'no guard written';
  const ran = `${device.launched.size} kernels`;
  console.log(
    off.length === 0 ? `small shapes: as on the CPU, ${guards}, ${ran}` : `small shapes: ${off.length} off, ${ran}`,
  );
  await cuda.close();
  await cpu.close();
  process.exitCode = off.length === 0 ? 0 : 1;
}

await main();

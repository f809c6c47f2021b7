// `node test/gpu/losses.ts --pairs FILE [--device cpu|cuda] [--steps 100] [--examples 64] [--base FILE] [--python python3]
// [--yardstick]`: a run of `small` (r 64) by the trainer and by torch, transformers and peft in float32 from the same adapter on
// the same batches: learning rates, losses, norms of the gradient, and the change of the adapter. --yardstick: also peft in
// bfloat16, to show how far rounding takes peft itself. Ends with 1 where one is off.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writePeft } from '../../python-free-trainer/src/io/peft.ts';
import { readAdapter } from '../../python-free-trainer/src/io/read-adapter.ts';
import { readSafetensors } from '../../python-free-trainer/src/io/safetensors.ts';
import type { WeightSource } from '../../python-free-trainer/src/io/weight-source.ts';
import { openWeights } from '../../python-free-trainer/src/io/weights.ts';
import type { Adapter } from '../../python-free-trainer/src/model/adapter.ts';
import { freshAdapter } from '../../python-free-trainer/src/model/lora.ts';
import { targetName } from '../../python-free-trainer/src/model/targets.ts';
import { trainRun } from '../../python-free-trainer/src/train/train.ts';
import { RUN_FILES, type StepEvent, TrainingEvent } from '../../src/protocol/training.ts';
import { compareAll, deviceOf, exchangeFolder, type Numbers, runPeer, smallBase, Verdicts } from './proof.ts';
import { peerText, plannedSteps } from './texts.ts';

const { values } = parseArgs({
  options: {
    device: { type: 'string', default: 'cuda' },
    pairs: { type: 'string' },
    steps: { type: 'string', default: '100' },
    examples: { type: 'string', default: '64' },
    base: { type: 'string' },
    python: { type: 'string', default: 'python3' },
    yardstick: { type: 'boolean', default: false },
  },
});
const { pairs } = values;
if (pairs === undefined) throw new Error('--pairs names the file of pairs');
const device = deviceOf(values.device);
/** In nats; 10-step means of losses, cosines of the adapter's change. On a CPU both sides are float32: hardly rounding is left. */
const LIMITS = device === 'cuda' ? { loss: 0.02, change: 0.95 } : { loss: 1e-3, change: 0.99 };
const SEED = 1;
/** Steps of a mean. */
const MEAN = 10;
const folder = exchangeFolder();
const verdicts = new Verdicts(`losses of small on ${device}`);

/** The trainer itself, in this process. @returns its steps */
async function trainHere(settings: object): Promise<StepEvent[]> {
  mkdirSync(join(folder, 'run'));
  writeFileSync(join(folder, 'run', RUN_FILES.config), JSON.stringify(settings));
  const { signal } = new AbortController();
  await trainRun(join(folder, 'run'), { resume: false, command: [], cwd: folder, signal, onEvent: () => undefined });
  const lines = readFileSync(join(folder, 'run', RUN_FILES.events), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => TrainingEvent.parse(JSON.parse(line))).filter((event) => event.kind === 'step');
}

/** A run's start: a fresh adapter as peft makes it, which both sides read from PEFT's folder. */
async function writeStart(source: WeightSource, lora: Parameters<typeof freshAdapter>[1]): Promise<string> {
  const path = join(folder, 'start');
  const about = { baseName: 'small', baseFile: source.file, dataHash: null, runId: null, repairs: false };
  await writePeft(path, freshAdapter(source.config, lora, SEED), about);
  return path;
}

function numbersOf({ pairs: factors }: Adapter): Map<string, Float32Array> {
  return new Map(
    factors.flatMap(({ layer, target, a, b }) => [
      [`${targetName(layer, target)}.lora_A.weight`, a] as const,
      [`${targetName(layer, target)}.lora_B.weight`, b] as const,
    ]),
  );
}

function changeFrom(start: ReadonlyMap<string, Float32Array>, end: ReadonlyMap<string, Float32Array>): Numbers {
  return new Map(
    [...end].map(([name, floats]) => [name, floats.map((value, i) => value - (start.get(name)?.[i] ?? 0))]),
  );
}

function mean(losses: readonly number[]): number {
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}

/** The largest difference of means over as many steps, at any place. */
function farthestMean(ours: readonly number[], theirs: readonly number[]): number {
  const width = Math.min(MEAN, ours.length);
  const places = Array.from({ length: ours.length - width + 1 }, (_, from) => from);
  return Math.max(
    ...places.map((from) => Math.abs(mean(ours.slice(from, from + width)) - mean(theirs.slice(from, from + width)))),
  );
}

function farthestSingle(one: readonly number[], other: readonly number[]): number {
  return Math.max(...one.map((loss, step) => Math.abs(loss - (other[step] ?? Number.NaN))));
}

/** Last steps' mean loss as a share of the first step's. */
function fallOf(losses: readonly number[]): number {
  return mean(losses.slice(-Math.min(MEAN, losses.length))) / (losses[0] ?? Number.NaN);
}

/** peft's run: what it printed of each step, and the change of its adapter. */
async function peft(dtype: string, start: ReadonlyMap<string, Float32Array>) {
  const out = join(folder, `${dtype}.safetensors`);
  const args = [join(folder, 'job.json'), out, '--device', device, '--dtype', dtype];
  const lines = await runPeer(values.python, 'losses.py', args, true);
  const { tensors } = await readSafetensors(out);
  const end = new Map([...tensors].map(([name, { data }]) => [name, data as Float32Array]));
  const of = (field: string) => lines.map((line) => Number(line[field]));
  const last = lines.at(-1)?.['seconds'];
  verdicts.report(`peft in ${dtype}: last loss`, of('loss').at(-1) ?? Number.NaN, { seconds: last });
  return {
    losses: of('loss'),
    rates: of('lr'),
    norms: of('grad_norm'),
    tokens: of('loss_tokens'),
    change: changeFrom(start, end),
  };
}

const source = await openWeights(await smallBase(values.base));
const steps = Number(values.steps);
const given = {
  model: { base: source.file.path, adapter: join(folder, 'start') },
  data: { train: pairs, held_out: 0 },
  batch: { examples: Number(values.examples), pack_tokens: device === 'cuda' ? 16_384 : 4096 },
  length: { epochs: 6, steps },
  every: { eval: steps, checkpoint: steps },
  seed: SEED,
  device,
};
const planned = await plannedSteps(given, source);
const { optimiser, schedule, lora } = planned.config;
const adapter = await writeStart(source, lora);
const start = numbersOf(await readAdapter(adapter, source.config));
const job = {
  base: source.file.path,
  adapter,
  steps: planned.steps.map((examples) => examples.map(peerText)),
  ...optimiser,
  warmup: schedule.warmup,
  end: schedule.end,
};
writeFileSync(join(folder, 'job.json'), JSON.stringify(job));

const began = performance.now();
const events = await trainHere(given);
const seconds = (performance.now() - began) / 1000;
const ours = {
  losses: events.map(({ loss }) => loss),
  change: changeFrom(start, numbersOf(await readAdapter(join(folder, 'run', RUN_FILES.adapter), source.config))),
};
await source.close();
verdicts.report('the trainer: last loss', ours.losses.at(-1) ?? Number.NaN, { seconds: Number(seconds.toFixed(1)) });
const theirs = await peft('float32', start);

const farthest = (one: (event: StepEvent) => number, other: readonly number[]) =>
  Math.max(...events.map((event, step) => Math.abs(one(event) / (other[step] ?? Number.NaN) - 1)));
verdicts.check('steps', events.length, { atLeast: theirs.losses.length });
verdicts.check(
  'learning rates, relative difference',
  farthest(({ lr }) => lr, theirs.rates),
  { atMost: 1e-9 },
);
verdicts.check(
  'loss tokens of the steps',
  farthest(({ loss_tokens }) => loss_tokens, theirs.tokens),
  { atMost: 0 },
);
verdicts.report(
  'norms of the gradient, largest relative difference',
  farthest(({ grad_norm }) => grad_norm, theirs.norms),
);
verdicts.report('losses of single steps, largest difference', farthestSingle(ours.losses, theirs.losses));
verdicts.check(`${MEAN}-step means of the loss, largest difference`, farthestMean(ours.losses, theirs.losses), {
  atMost: LIMITS.loss,
});
const half = steps >= 100 ? 0.5 : 1;
verdicts.check(`the trainer's last ${MEAN} losses to its first`, fallOf(ours.losses), { atMost: half });
verdicts.check(`peft's last ${MEAN} losses to its first`, fallOf(theirs.losses), { atMost: half });
const { whole, lowest } = compareAll(ours.change, theirs.change);
verdicts.check("cosine of the adapter's change", whole.cosine, { atLeast: LIMITS.change }, { ratio: whole.ratio });
verdicts.report("lowest cosine of a matrix's change", lowest.cosine, { name: lowest.name });
if (values.yardstick && device === 'cuda') {
  const rounded = await peft('bfloat16', start);
  for (const [who, other] of [
    ['the trainer', ours],
    ['peft in float32', theirs],
  ] as const) {
    verdicts.report(`peft in bfloat16 with ${who}: ${MEAN}-step means`, farthestMean(rounded.losses, other.losses));
    verdicts.report(
      `peft in bfloat16 with ${who}: cosine of the change`,
      compareAll(rounded.change, other.change).whole.cosine,
    );
  }
}
console.log(JSON.stringify({ losses: 'ours', values: ours.losses }));
console.log(JSON.stringify({ losses: 'peft', values: theirs.losses }));
verdicts.end();

// `node test/gpu/gradients.ts small|1.7b|tiny [--device cpu|cuda] [--pairs FILE] [--texts N] [--base FILE] [--python python3]`:
// loss and gradients of every adapter matrix against torch, transformers and peft on the same texts, weights and adapter (B not
// zero), in float32 and as torch itself trains in bfloat16; and that the same seed gives the same bits. small: the bundled model
// on real pairs (or made texts); 1.7b: a Qwen3-1.7B of random weights; tiny: a small shape of it. Ends with 1 where one is off.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Example } from '../../python-free-trainer/src/data/conversation.ts';
import { writePeft } from '../../python-free-trainer/src/io/peft.ts';
import { readAdapter } from '../../python-free-trainer/src/io/read-adapter.ts';
import { readSafetensors } from '../../python-free-trainer/src/io/safetensors.ts';
import type { WeightSource } from '../../python-free-trainer/src/io/weight-source.ts';
import { openWeights } from '../../python-free-trainer/src/io/weights.ts';
import { sftObjective } from '../../python-free-trainer/src/loss/sft.ts';
import { freshAdapter } from '../../python-free-trainer/src/model/lora.ts';
import { TARGETS } from '../../python-free-trainer/src/model/targets.ts';
import { microBatches } from '../../python-free-trainer/src/train/step.ts';
import { trainedNumbers } from '../trainer/support/learner.ts';
import { randomFloats } from './compare.ts';
import { compareAll, deviceOf, exchangeFolder, type Numbers, openOn, runPeer, smallBase, Verdicts } from './proof.ts';
import { madeTexts, peerText, plannedSteps } from './texts.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    device: { type: 'string', default: 'cuda' },
    pairs: { type: 'string' },
    texts: { type: 'string' },
    base: { type: 'string' },
    python: { type: 'string', default: 'python3' },
  },
});
const [name = 'small'] = positionals;
const device = deviceOf(values.device);
/** bfloat16 keeps 8 bits; the CPU backend computes in float32. */
const LIMITS = device === 'cuda' ? { cosine: 0.999, loss: 5e-3 } : { cosine: 0.99999, loss: 1e-4 };
const PACK = 4096;
const folder = exchangeFolder();
const verdicts = new Verdicts(`gradients ${name} on ${device}`);

async function baseOf(): Promise<string> {
  if (name === 'small') return smallBase(values.base);
  const made = join(folder, 'model');
  await runPeer(values.python, 'random_model.py', [made, '--shape', name, '--device', device]);
  return made;
}

async function textsOf(source: WeightSource): Promise<Example[]> {
  const examples = Number(values.texts ?? (values.pairs === undefined ? 8 : 64));
  if (values.pairs === undefined) return madeTexts(source.config.vocab, examples);
  const data = { train: values.pairs, held_out: 0 };
  const given = { model: { base: source.file.path }, data, batch: { examples }, length: { steps: 1 } };
  const { steps } = await plannedSteps(given, source);
  return steps[0] ?? [];
}

/** An adapter that is no fresh one, in PEFT's folder, which both sides read. */
async function writeAdapter(source: WeightSource): Promise<string> {
  const lora = name === 'small' ? { r: 64, alpha: 128 } : { r: 16, alpha: 32 };
  const adapter = freshAdapter(source.config, { ...lora, rslora: false, targets: TARGETS }, 1);
  for (const [index, { b }] of adapter.pairs.entries())
    b.set(randomFloats(b.length, index).map((value) => value * 0.01));
  const path = join(folder, 'adapter');
  await writePeft(path, adapter, {
    baseName: name,
    baseFile: source.file,
    dataHash: null,
    runId: null,
    repairs: false,
  });
  return path;
}

/** Loss and gradients of all texts by our engine. */
async function ours(source: WeightSource, adapter: string, texts: readonly Example[], sharePrefixes: boolean) {
  const learner = await openOn(device, source, await readAdapter(adapter, source.config));
  await learner.engine.plan?.(PACK);
  const micro = microBatches(texts, { packTokens: PACK, sharePrefixes });
  const objective = sftObjective(micro.reduce((sum, { batch }) => sum + batch.targets.length, 0));
  let loss = 0;
  for (const { batch } of micro) loss += (await learner.engine.accumulate(batch, objective)).loss;
  const gradients = await trainedNumbers(learner, 'gradient');
  await learner.engine.close();
  return { loss, gradients };
}

async function torchGradients(way: string): Promise<Numbers> {
  const { tensors } = await readSafetensors(join(folder, `${way}.safetensors`));
  return new Map([...tensors].map(([key, { data }]) => [key, data as Float32Array]));
}

type Result = Awaited<ReturnType<typeof ours>>;

function isSameBits(one: Result, other: Result): boolean {
  return (
    one.loss === other.loss &&
    [...one.gradients].every(([key, floats]) => floats.every((value, i) => value === other.gradients.get(key)?.[i]))
  );
}

const source = await openWeights(await baseOf());
const texts = await textsOf(source);
const adapter = await writeAdapter(source);
const job = { base: source.file.path, adapter, texts: texts.map(peerText) };
writeFileSync(join(folder, 'job.json'), JSON.stringify(job));
/** A GPU keeps weight matrices in bfloat16, so that torch is to compute in float32 with the same. */
const reference = device === 'cuda' ? 'rounded' : 'float32';
const ways = [...new Set([reference, 'rounded', 'bfloat16'])];
const args = [join(folder, 'job.json'), folder, '--device', device, '--ways', ways.join(',')];
const lines = await runPeer(values.python, 'gradients.py', args);
const torchLoss = (way: string) => Number(lines.find((line) => line['way'] === way)?.['loss'] ?? Number.NaN);
const [expected, bfloat16] = [await torchGradients(reference), await torchGradients('bfloat16')];

const yardstick = compareAll(bfloat16, await torchGradients('rounded'));
verdicts.report('loss of torch in bfloat16 less float32', torchLoss('bfloat16') - torchLoss('rounded'));
verdicts.report('torch in bfloat16 with float32: cosine', yardstick.whole.cosine, { lowest: yardstick.lowest });
// bfloat16 scatters: a matrix may be twice as far as the farthest of torch's own bfloat16 is. Distance is an angle here, and a
// cosine falls short of 1 by half the square of it (docs/decisions/0008-rounding-of-gradients.md).
const each = device === 'cuda' ? Math.min(LIMITS.cosine, 1 - 4 * (1 - yardstick.lowest.cosine)) : LIMITS.cosine;

let plain: Result | null = null;
for (const sharePrefixes of [false, true]) {
  const shared = sharePrefixes ? ', shared beginnings' : '';
  const found = await ours(source, adapter, texts, sharePrefixes);
  plain ??= found;
  const difference = Math.abs(found.loss - torchLoss(reference));
  verdicts.check(`|loss - torch's|${shared}`, difference, { atMost: LIMITS.loss }, { loss: found.loss });
  const { whole, lowest } = compareAll(found.gradients, expected);
  verdicts.check(`cosine of the gradient${shared}`, whole.cosine, { atLeast: LIMITS.cosine }, { ratio: whole.ratio });
  verdicts.check(`lowest cosine of a matrix${shared}`, lowest.cosine, { atLeast: each }, { name: lowest.name });
  verdicts.report(`cosine with torch in bfloat16${shared}`, compareAll(found.gradients, bfloat16).whole.cosine);
}
const again = await ours(source, adapter, texts, false);
verdicts.check('the same bits again', plain !== null && isSameBits(plain, again) ? 1 : 0, { atLeast: 1 });
await source.close();
verdicts.end();

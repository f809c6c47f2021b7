// `node bench/gpu/real-data.ts small|coder --base FILE --pairs FILE [--device cuda|cpu] [--steps 60] [--examples N]
// [--epochs X] [--python python3] [--no-peer]`: tokens a second of `sql-agent-trainer train` on real pairs, without and with
// shared beginnings, and of `bench/peers/peft_sft.py` alone on the GPU on the same pairs, each a process of its own; and the
// most memory of each. Counted are the tokens of the pairs, each through the end of its answer: no padding, and shared
// beginnings as often as the plain form has them. The first steps of each are left out. --epochs: how much of the data the peer
// sees.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { RUN_FILES, TrainingEvent } from '../../src/protocol/training.ts';
import { childEntry } from '../../src/runtime/paths.ts';
import { deviceOf, runPeer } from '../../test/gpu/proof.ts';
import { DeviceMemory } from './device-memory.ts';
import { type PeerPairs, writePeerPairs } from './pairs.ts';

/** Settings of both sides, of `models/README.md`; examples of a step are about as many as the peer's tokens of a step hold. */
const MODELS = {
  small: { lora: { r: 64, alpha: 128 }, lr: 1e-3, examples: 64, tokens: 24_576, epochs: 0.5, reach: 3 },
  coder: { lora: { r: 16, alpha: 32 }, lr: 2e-4, examples: 40, tokens: 16_384, epochs: 0.15, reach: 2 },
} as const;
/** Steps that are not counted: algorithms are chosen, memory is taken. */
const OURS_WARM = 10;
const PEER_WARM = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    base: { type: 'string' },
    pairs: { type: 'string' },
    device: { type: 'string', default: 'cuda' },
    steps: { type: 'string', default: '60' },
    examples: { type: 'string' },
    epochs: { type: 'string' },
    python: { type: 'string', default: 'python3' },
    peer: { type: 'boolean', default: true },
  },
});
const [name] = positionals;
if (name !== 'small' && name !== 'coder') throw new Error('the model is small or coder');
const { base, pairs } = values;
if (base === undefined || pairs === undefined) throw new Error('--base and --pairs name the model and the pairs');
const model = MODELS[name];
const device = deviceOf(values.device);
const examples = Number(values.examples ?? model.examples);
const folder = mkdtempSync(join(tmpdir(), 'sql-agent-real-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** What one side came to. */
interface Speed {
  tokensPerSecond: number;
  /** GiB that the GPU was short of at most, context included; null: not seen. */
  deviceGiB: number | null;
}

function report(who: string, speed: Speed, more: object): Speed {
  const { tokensPerSecond, deviceGiB } = speed;
  const line = {
    bench: 'real data',
    model: name,
    who,
    tokensPerSecond: Math.round(tokensPerSecond),
    deviceGiB,
    ...more,
  };
  console.log(JSON.stringify(line));
  return speed;
}

/** Starts the trainer as a user does, and waits. @throws Error where it fails */
async function train(run: string): Promise<void> {
  const args = ['--disable-warning=ExperimentalWarning', childEntry('trainer'), 'train', run];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) throw new Error(`the trainer ended with ${code}`);
}

async function ours(sharePrefixes: boolean): Promise<Speed> {
  const run = join(folder, sharePrefixes ? 'shared' : 'plain');
  const steps = Number(values.steps);
  mkdirSync(run);
  const settings = {
    model: { base },
    data: { train: pairs, held_out: 0, share_prefixes: sharePrefixes },
    lora: model.lora,
    optimiser: { lr: model.lr, betas: [0.9, 0.95], weight_decay: 0 },
    batch: { examples, pack_tokens: device === 'cuda' ? 16_384 : 4096 },
    length: { epochs: 6, steps },
    every: { eval: steps, checkpoint: steps },
    device,
  };
  writeFileSync(join(run, RUN_FILES.config), JSON.stringify(settings));
  const memory = await DeviceMemory.watch();
  await train(run).finally(() => memory.end());
  const lines = readFileSync(join(run, RUN_FILES.events), 'utf8').trimEnd().split('\n');
  const events = lines.map((line) => TrainingEvent.parse(JSON.parse(line))).filter((event) => event.kind === 'step');
  const warm = Math.min(OURS_WARM, events.length - 1);
  const [before, last] = [events[warm - 1] ?? events[0], events.at(-1)];
  if (before === undefined || last === undefined) throw new Error('the run has no steps');
  const counted = events.slice(warm);
  const seconds = (Date.parse(last.time) - Date.parse(before.time)) / 1000;
  // Of each example the last token is only predicted and no row of its own.
  const plain = counted.reduce((sum, { plain_tokens }) => sum + plain_tokens + examples, 0);
  const computed = counted.reduce((sum, { tokens }) => sum + tokens, 0);
  const speed = { tokensPerSecond: plain / seconds, deviceGiB: memory.end() };
  return report(sharePrefixes ? 'trainer, shared beginnings' : 'trainer', speed, {
    computedPerSecond: Math.round(computed / seconds),
    heldGiB: Number((last.memory / 2 ** 30).toFixed(2)),
    steps: counted.length,
    seconds,
    lastLoss: last.loss,
  });
}

async function peer(prefix: string, { meanTokens, end }: PeerPairs): Promise<Speed> {
  const { lora, lr, tokens, epochs } = model;
  const out = join(folder, 'peer');
  const settings = { eos: end, r: lora.r, alpha: lora.alpha, lr, tokens, epochs: values.epochs ?? epochs };
  const options = Object.entries(settings).flatMap(([option, value]) => [`--${option}`, String(value)]);
  const memory = await DeviceMemory.watch();
  const lines = await runPeer(values.python, 'peft_sft.py', [base ?? '', prefix, out, ...options]).finally(() =>
    memory.end(),
  );
  const logged = lines.filter((line) => typeof line['tok_s'] === 'number');
  const done = (line: Record<string, unknown> | undefined) => {
    const seconds = Number(line?.['seconds'] ?? 0);
    return { seconds, tokens: Number(line?.['tok_s'] ?? 0) * seconds };
  };
  const last = logged.at(-1);
  const [before, after] = [done(logged.find((line) => line !== last && Number(line['step']) >= PEER_WARM)), done(last)];
  // It also counts the newline behind each answer.
  const counted = ((after.tokens - before.tokens) * meanTokens) / (meanTokens + 1);
  const seconds = after.seconds - before.seconds;
  const speed = { tokensPerSecond: counted / seconds, deviceGiB: memory.end() };
  return report('peft', speed, {
    allocatedGiB: last?.['mem_gb'],
    steps: last?.['of'],
    seconds,
    lastLoss: last?.['loss'],
  });
}

const prefix = join(folder, 'pairs');
const written = await writePeerPairs(base, pairs, prefix);
console.log(JSON.stringify({ bench: 'real data', model: name, ...written, examples }));
const plain = await ours(false);
const shared = await ours(true);
if (values.peer) {
  const theirs = await peer(prefix, written);
  const ratio = (speed: Speed) => Number((speed.tokensPerSecond / theirs.tokensPerSecond).toFixed(2));
  const pass = ratio(plain) >= model.reach;
  console.log(
    JSON.stringify({
      bench: 'real data',
      model: name,
      ratio: ratio(plain),
      reach: model.reach,
      pass,
      shared: ratio(shared),
    }),
  );
  if (plain.deviceGiB !== null && theirs.deviceGiB !== null)
    console.log(
      JSON.stringify({
        bench: 'real data',
        model: name,
        memory: 'of the GPU in GiB, context included',
        trainer: plain.deviceGiB,
        peft: theirs.deviceGiB,
        pass: plain.deviceGiB < theirs.deviceGiB,
      }),
    );
}

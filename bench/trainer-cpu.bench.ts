// How long the trainer takes on the CPU with the bundled model `small`: from its GGUF file to the first loss, and a step of
// one example of 350 tokens, 40 of them with loss. TRAINER_THREADS (default 2) gives the threads.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PackedBatch } from '../python-free-trainer/src/data/batch.ts';
import { createEngine } from '../python-free-trainer/src/engine/create.ts';
import type { Engine } from '../python-free-trainer/src/engine/engine.ts';
import { openWeights } from '../python-free-trainer/src/io/weights.ts';
import { sftObjective } from '../python-free-trainer/src/loss/sft.ts';
import { TARGETS } from '../python-free-trainer/src/model/targets.ts';
import { readyModelFiles } from '../src/runtime/model/model-files.ts';
import type { Benchmark, Measurement } from './measurement.ts';

const THREADS = Number(process.env['TRAINER_THREADS'] ?? 2);
const TOKENS = 350;
const LOSS = 40;
const ROUNDS = 4;
const LORA = { r: 16, alpha: 32, rslora: false, targets: TARGETS };
const UPDATE = { lr: 1e-4, betas: [0.9, 0.95], eps: 1e-8, weightDecay: 0, clip: 1 } as const;

/** One example; what its tokens are does not matter to the time. */
function example(vocab: number): PackedBatch {
  const tokens = Int32Array.from({ length: TOKENS }, (_, i) => (i * 7919) % vocab);
  const lossRows = Int32Array.from({ length: LOSS }, (_, i) => TOKENS - LOSS - 1 + i);
  return {
    tokens,
    positions: Int32Array.from(tokens.keys()),
    segments: [{ start: 0, length: TOKENS, parent: -1 }],
    lossRows,
    targets: lossRows.map((row) => tokens[row + 1] ?? 0),
    examples: new Int32Array(LOSS),
    exampleCount: 1,
    plainTokens: TOKENS,
  };
}

interface Time {
  seconds: number;
  processor: number;
}

async function timed(work: () => Promise<unknown>): Promise<Time> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { seconds: (performance.now() - started) / 1000, processor: (user + system) / 1e6 };
}

async function openSmall(file: string): Promise<Engine> {
  const source = await openWeights(file);
  try {
    return await createEngine({ device: 'cpu', source, lora: LORA, adapter: null, seed: 1, threads: THREADS });
  } finally {
    await source.close();
  }
}

async function measure(file: string): Promise<Measurement[]> {
  const opened: { engine?: Engine } = {};
  let batch = example(1);
  const first = await timed(async () => {
    opened.engine = await openSmall(file);
    batch = example(49_152);
    await opened.engine.evaluate(batch);
  });
  const { engine } = opened;
  if (!engine) return [];
  const steps: Time[] = [];
  for (let round = 0; round < ROUNDS; round++)
    steps.push(await timed(() => engine.accumulate(batch, sftObjective(LOSS))));
  const update = await timed(() => engine.update(UPDATE));
  const step = steps.reduce((best, time) => (time.seconds < best.seconds ? time : best));
  const processor = Math.min(...steps.map((time) => time.processor));
  const flops = engine.flops(batch);
  await engine.close();
  return [
    { what: 'GGUF file to first loss', value: first.seconds, unit: 's', reach: '<= 20 s' },
    { what: "same, processor's time", value: first.processor, unit: 's' },
    { what: 'forward and backward, 350 tokens', value: step.seconds, unit: 's' },
    { what: "same, processor's time", value: processor, unit: 's' },
    { what: 'same, useful operations', value: flops / step.seconds / 1e9, unit: 'GFLOP/s' },
    { what: "same, by a processor's second", value: flops / processor / 1e9, unit: 'GFLOP/s' },
    { what: 'tokens', value: TOKENS / step.seconds, unit: 'tokens/s' },
    { what: 'optimiser step, r = 16 on seven layers', value: update.seconds, unit: 's' },
  ];
}

export const benchmark: Benchmark = {
  title: `training \`small\` on the CPU, ${THREADS} threads`,
  async run() {
    const storage = mkdtempSync(join(tmpdir(), 'sql-agent-bench-'));
    try {
      return await measure((await readyModelFiles('small', storage)).base);
    } finally {
      rmSync(storage, { recursive: true, force: true });
    }
  },
};

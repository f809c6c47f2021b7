// How long the trainer takes to open the bundled model (GGUF, Q4_1), with the SHA-256 of its bytes, and to have all of its
// weights in float32; and how many weights of each quantised type it dequantises in a second of processor time.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dequantise, KNOWN_TYPES } from '../python-free-trainer/src/io/dequant.ts';
import { type BlockType, TENSOR_TYPES } from '../python-free-trainer/src/io/gguf-types.ts';
import { openWeights } from '../python-free-trainer/src/io/weights.ts';
import { readyModelFiles } from '../src/runtime/model/model-files.ts';
import type { Benchmark, Measurement } from './measurement.ts';

const RUNS = 5;
const WEIGHTS = 1 << 22;

/** Seconds to open a model, and to read all of its weights, the best of several runs. */
async function load(path: string): Promise<{ open: number; read: number; weights: number }> {
  let best = { open: Number.POSITIVE_INFINITY, read: Number.POSITIVE_INFINITY, weights: 0 };
  for (let run = 0; run < RUNS; run++) {
    const started = performance.now();
    const source = await openWeights(path);
    const opened = performance.now();
    let weights = 0;
    for (const name of source.shapes.keys()) weights += (await source.read(name)).length;
    const open = (opened - started) / 1000;
    best = { open: Math.min(best.open, open), read: Math.min(best.read, (performance.now() - opened) / 1000), weights };
    await source.close();
  }
  return best;
}

/** Millions of weights in a second of processor time. */
function speed(type: BlockType): number {
  const blocks = Uint8Array.from({ length: (WEIGHTS / type.size) * type.bytes }, (_, index) => (index * 97) & 0xbb);
  const out = new Float32Array(WEIGHTS);
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run++) {
    const started = process.cpuUsage();
    dequantise(type.name, blocks, out);
    const { user, system } = process.cpuUsage(started);
    best = Math.min(best, user + system);
  }
  return WEIGHTS / best;
}

async function run(): Promise<Measurement[]> {
  const storage = mkdtempSync(join(tmpdir(), 'sql-agent-bench-'));
  try {
    const { open, read, weights } = await load((await readyModelFiles('small', storage)).base);
    const types = [...TENSOR_TYPES.values()].filter(({ name }) => KNOWN_TYPES.includes(name));
    return [
      { what: 'open `small`, SHA-256 included', value: open, unit: 's' },
      { what: `its ${weights.toLocaleString('en')} weights in float32`, value: read, unit: 's', reach: '<= 2 s' },
      ...types.map((type) => ({ what: `weights of ${type.name} in a second`, value: speed(type), unit: 'million' })),
    ];
  } finally {
    rmSync(storage, { recursive: true, force: true });
  }
}

export const benchmark: Benchmark = { title: 'Models into memory', run };

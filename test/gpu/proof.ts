// What the proofs against PyTorch share: verdicts as lines of JSON, PyTorch's part as a process, models on either device.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { BackendEngine } from '../../python-free-trainer/src/engine/backend-engine.ts';
import { openCpu } from '../../python-free-trainer/src/engine/cpu-engine.ts';
import type { WeightSource } from '../../python-free-trainer/src/io/weight-source.ts';
import type { Adapter } from '../../python-free-trainer/src/model/adapter.ts';
import type { ModelConfig } from '../../python-free-trainer/src/model/config.ts';
import { trainAdapter } from '../../python-free-trainer/src/model/lora.ts';
import { loadWeights } from '../../python-free-trainer/src/model/weights.ts';
import { readyModelFiles } from '../../src/runtime/model/model-files.ts';
import { storageFolder } from '../../src/runtime/paths.ts';
import type { Learner } from '../trainer/support/learner.ts';

export type ProofDevice = 'cpu' | 'cuda';

/** @throws Error for another word than `cpu` or `cuda` */
export function deviceOf(word: string): ProofDevice {
  if (word === 'cpu' || word === 'cuda') return word;
  throw new Error(`--device takes cpu or cuda, not "${word}"`);
}

/** Counts what is not as it should be and prints a line of JSON for each. */
export class Verdicts {
  failed = 0;
  readonly #proof: string;

  constructor(proof: string) {
    this.#proof = proof;
  }

  /** A value that is to be at least or at most so large; NaN is neither. */
  check(what: string, value: number, limit: { atLeast: number } | { atMost: number }, more: object = {}): void {
    const pass = 'atLeast' in limit ? value >= limit.atLeast : value <= limit.atMost;
    if (!pass) this.failed++;
    console.log(JSON.stringify({ proof: this.#proof, what, value, ...limit, pass, ...more }));
  }

  /** A value that nothing is asked of. */
  report(what: string, value: number, more: object = {}): void {
    console.log(JSON.stringify({ proof: this.#proof, what, value, ...more }));
  }

  /** Prints the outcome and sets the exit code. */
  end(): void {
    console.log(`${this.#proof}: ${this.failed === 0 ? 'PASS' : `FAIL, ${this.failed} off`}`);
    process.exitCode = this.failed === 0 ? 0 : 1;
  }
}

/** A folder for what passes between us and PyTorch, taken away at the end of the process. */
export function exchangeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sql-agent-proof-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Runs a script of `bench/peers` to its end; its lines of JSON are printed too, unless `isQuiet`.
 * @throws Error where it fails
 */
export async function runPeer(
  python: string,
  script: string,
  args: readonly string[],
  isQuiet = false,
): Promise<Record<string, unknown>[]> {
  const path = fileURLToPath(new URL(`../../bench/peers/${script}`, import.meta.url));
  const quiet = { TOKENIZERS_PARALLELISM: 'false', TRANSFORMERS_VERBOSITY: 'error', PYTHONDONTWRITEBYTECODE: '1' };
  const env = { ...process.env, HF_HUB_OFFLINE: '1', ...quiet };
  const child = spawn(python, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'], env });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const found: Record<string, unknown>[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (!isQuiet || !line.startsWith('{')) console.log(line);
    if (line.startsWith('{')) found.push(JSON.parse(line) as Record<string, unknown>);
  }
  const code = await ended;
  if (code !== 0) throw new Error(`${script} ended with ${code}`);
  return found;
}

/** A model and an adapter on a device, without memory planned. */
export async function openOn(device: ProofDevice, source: WeightSource, adapter: Adapter): Promise<Learner> {
  const { backend, name, peakFlops } = await backendOn(device, adapter.r, source.config);
  const weights = await loadWeights(backend, source);
  const trained = trainAdapter(backend, source.config, adapter);
  return { backend, weights, trained, engine: new BackendEngine(backend, weights, trained, { name, peakFlops }) };
}

async function backendOn(device: ProofDevice, rank: number, config: ModelConfig) {
  if (device === 'cpu') return openCpu(availableParallelism(), false);
  const { openCuda } = await import('../../python-free-trainer/src/engine/cuda-engine.ts');
  const opened = openCuda(rank, config);
  return { ...opened, name: (await opened.specialise()).name };
}

/** The base of the bundled model `small`: a given file, or the bundled parts joined. */
export async function smallBase(given: string | undefined): Promise<string> {
  return given ?? (await readyModelFiles('small', storageFolder())).base;
}

/** Sums over pairs of numbers: what cosines and distances are made of. */
export class Comparison {
  #dot = 0;
  #aa = 0;
  #bb = 0;

  add(a: ArrayLike<number>, b: ArrayLike<number>): this {
    if (a.length !== b.length) throw new Error(`${a.length} numbers are compared with ${b.length}`);
    for (let i = 0; i < a.length; i++) {
      const [x, y] = [a[i] ?? 0, b[i] ?? 0];
      this.#dot += x * y;
      this.#aa += x * x;
      this.#bb += y * y;
    }
    return this;
  }

  /** NaN where one side is zero. */
  get cosine(): number {
    return this.#dot / Math.sqrt(this.#aa * this.#bb);
  }

  /** Norm of the first side as a share of the second's. */
  get ratio(): number {
    return Math.sqrt(this.#aa / this.#bb);
  }
}

/** Numbers under names. */
export type Numbers = ReadonlyMap<string, ArrayLike<number>>;

/** All numbers of two sides together, and the matrix that is farthest by its direction. @throws Error where names differ */
export function compareAll(ours: Numbers, theirs: Numbers) {
  if (ours.size !== theirs.size) throw new Error(`${ours.size} matrices are compared with ${theirs.size}`);
  const whole = new Comparison();
  let lowest = { name: '', cosine: Number.POSITIVE_INFINITY };
  for (const [name, values] of ours) {
    const other = theirs.get(name);
    if (other === undefined) throw new Error(`the other side has no ${name}`);
    whole.add(values, other);
    const { cosine } = new Comparison().add(values, other);
    // A cosine that is no number stays the lowest.
    if (!Number.isNaN(lowest.cosine) && !(cosine >= lowest.cosine)) lowest = { name, cosine };
  }
  return { whole, lowest };
}

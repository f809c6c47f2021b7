import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { defaultTrainingConfig } from '../../src/core/training/defaults.ts';
import {
  type ProcessIdentity,
  RUN_FILES,
  type StepEvent,
  TrainingConfig,
  TrainingEvent,
  TrainingRun,
  TrainingStatus,
} from '../../src/protocol/training.ts';

/** No process has this number. */
export const NOBODY: ProcessIdentity = { pid: 2 ** 22 + 12_345, start: '1' };

const START = Date.UTC(2026, 10, 30, 8, 0, 0);
const timeOf = (step: number) => new Date(START + step * 250).toISOString();

/** A step of a run that learns: the loss falls and shakes, the rate warms up and falls. */
export function stepEvent(step: number, of: number): StepEvent {
  const shake = Math.sin(step * 12.9898) * 0.08;
  const warmup = Math.max(1, Math.round(of * 0.05));
  const share = 0.3 + 0.02 * Math.cos(step / 9);
  return {
    kind: 'step',
    time: timeOf(step),
    step,
    epoch: (3 * step) / of,
    loss: 0.35 + 2.4 * Math.exp((-6 * step) / of) * (1 + shake) + Math.abs(shake),
    lr:
      step < warmup
        ? (2e-4 * step) / warmup
        : 1e-4 * (1.1 + 0.9 * Math.cos((Math.PI * (step - warmup)) / (of - warmup))),
    grad_norm: 0.6 + 2 * Math.exp((-4 * step) / of) + 5 * Math.max(0, shake - 0.075),
    tokens: 8192,
    plain_tokens: 14_000,
    loss_tokens: 900,
    tokens_per_s: 3000 * share * 4,
    share,
    memory: 1.2e9 + 2e6 * (step % 50),
    ms: 2000,
  };
}

/** Writes a run directory as a trainer does: the same files, in the contract's form. */
export class TrainingRunFolder {
  readonly path: string;
  readonly config: TrainingConfig;
  readonly of: number;

  constructor(path: string, of: number, change: (config: TrainingConfig) => TrainingConfig = (config) => config) {
    this.path = path;
    this.of = of;
    const defaults = defaultTrainingConfig({ base: '/models/SmolLM2-135M.gguf', data: '/data/pairs.jsonl' });
    this.config = TrainingConfig.parse(change(defaults));
    mkdirSync(path, { recursive: true });
    this.#write(RUN_FILES.config, this.config);
  }

  #write(name: string, value: unknown): void {
    const path = join(this.path, name);
    writeFileSync(`${path}.new`, JSON.stringify(value));
    renameSync(`${path}.new`, path);
  }

  /** Model and data are known. */
  begin(process: ProcessIdentity = NOBODY): this {
    const hashed = (path: string) => ({ path, sha256: 'a'.repeat(64), bytes: 1000 });
    const run: TrainingRun = {
      v: 1,
      run_id: '20261130-080000-smol-pairs-1a2b',
      started: timeOf(0),
      config: this.config,
      config_hash: 'b'.repeat(64),
      command: ['sql-agent-trainer', 'train', this.path],
      process,
      machine: {
        host: hostname(),
        program: '0.1.0',
        node: 'v24.22.3',
        platform: 'linux-x64',
        cpus: 2,
        device: 'CPU, 2 threads',
        peak_flops: 9e10,
      },
      base: {
        name: 'SmolLM2-135M',
        architecture: 'llama',
        parameters: 134_515_008,
        trained_parameters: 4_884_480,
        file: hashed(this.config.model.base),
      },
      data: {
        train: hashed(this.config.data.train),
        eval: null,
        examples: 16_010,
        held_out: 842,
        left_out: 3,
        tokens: 9_120_000,
        loss_tokens: 612_000,
      },
      steps: this.of,
    };
    this.#write(RUN_FILES.run, TrainingRun.parse(run));
    return this;
  }

  /** Adds events. */
  append(...events: TrainingEvent[]): this {
    const lines = events.map((event) => `${JSON.stringify(TrainingEvent.parse(event))}\n`);
    appendFileSync(join(this.path, RUN_FILES.events), lines.join(''));
    return this;
  }

  /** Adds the steps from `first` to `last`, with an evaluation and a checkpoint after each `every`. */
  steps(first: number, last: number, every = Number.POSITIVE_INFINITY): this {
    const lines: string[] = [];
    for (let step = first; step <= last; step += 1) {
      lines.push(JSON.stringify(stepEvent(step, this.of)));
      if (step % every !== 0) continue;
      const loss = 0.45 + 1.8 * Math.exp((-5 * step) / this.of) + 0.05 * Math.max(0, step / this.of - 0.7);
      const best = step < this.of * 0.8;
      const common = { time: timeOf(step), step, best };
      const accuracy = 0.97 - 0.4 * Math.exp((-5 * step) / this.of);
      lines.push(JSON.stringify({ ...common, kind: 'eval', loss, accuracy, loss_tokens: 30_000, ms: 900 }));
      lines.push(JSON.stringify({ ...common, kind: 'checkpoint', path: `checkpoints/step-${step}` }));
      mkdirSync(join(this.path, RUN_FILES.checkpoints, `step-${step}`), { recursive: true });
    }
    appendFileSync(join(this.path, RUN_FILES.events), lines.map((line) => `${line}\n`).join(''));
    return this;
  }

  /** Replaces the heartbeat. */
  beat(status: Partial<TrainingStatus> & Pick<TrainingStatus, 'state' | 'step'>): this {
    const full: TrainingStatus = {
      v: 1,
      time: new Date().toISOString(),
      process: NOBODY,
      message: `The run is ${status.state}.`,
      of: this.of,
      loss: status.step === 0 ? null : stepEvent(status.step, this.of).loss,
      eta_s: null,
      memory: 1.2e9,
      ...status,
    };
    this.#write(RUN_FILES.status, TrainingStatus.parse(full));
    return this;
  }

  /** Adds text to what the trainer printed. */
  print(text: string): this {
    appendFileSync(join(this.path, RUN_FILES.log), text);
    return this;
  }
}

import { relative, sep } from 'node:path';
import { toWireError } from '../../../src/protocol/errors.ts';
import type { UpdateSettings } from '../engine/engine.ts';
import type { AdapterAbout } from '../io/adapter-about.ts';
import { learningRate } from '../optim/schedule.ts';
import type { EngineState } from '../run/moments.ts';
import type { Session } from '../run/session.ts';
import { evaluationNotFinite } from './errors.ts';
import { evaluateExamples } from './evaluate.ts';
import { keepFailedStep } from './failed-step.ts';
import type { Prepared } from './prepare.ts';
import type { Progress } from './progress.ts';
import { type MicroBatch, microBatches, type StepResult, trainStep } from './step.ts';

/** Steps over which the time left is estimated. */
const RECENT = 20;
const NOT_FINITE = ['non_finite_loss', 'non_finite_gradient'];

function isDue(step: number, every: number, steps: number): boolean {
  return step > 0 && (step % every === 0 || step === steps);
}

/** The steps of a run from where it stands to its end, or until it is asked to stop. */
export class TrainingLoop {
  readonly #run: Prepared;
  readonly #session: Session;
  readonly #signal: AbortSignal;
  readonly #about: AdapterAbout;
  readonly #recentMs: number[] = [];
  #progress: Progress;
  /** The highest speed seen, in FLOP/s: of matrix products when the device was opened, or of a step since. */
  #peak: number | null;
  /** Step of the newest checkpoint on the disk. */
  #saved: number;

  /** @param signal asks it to stop, as a file `stop` in the folder `control` does */
  constructor(run: Prepared, session: Session, progress: Progress, signal: AbortSignal) {
    this.#run = run;
    this.#session = session;
    this.#signal = signal;
    this.#progress = progress;
    this.#saved = progress.step;
    const { record, repairs } = run;
    const { base, run_id, data, machine } = record;
    this.#peak = machine.peak_flops;
    this.#about = { baseName: base.name, baseFile: base.file, dataHash: data.train.sha256, runId: run_id, repairs };
  }

  get progress(): Progress {
    return this.#progress;
  }

  get about(): AdapterAbout {
    return this.#about;
  }

  readonly #isStopped = (): boolean => this.#signal.aborted || this.#session.control.asks('stop');

  /**
   * Trains until the end or until it is stopped; both leave a checkpoint of the last step.
   * @throws AppError `non_finite_loss`, `non_finite_gradient`, `disk_full`, `run_unwritable`, `run_moved`
   */
  async run(): Promise<'done' | 'stopped'> {
    const { steps, config } = this.#run;
    const { control, heartbeat } = this.#session;
    for (;;) {
      const { step } = this.#progress;
      await this.#session.check();
      const evaluation = await this.#evaluateIfDue();
      const isWished = control.asks('checkpoint');
      if (evaluation === 'best' || isWished || isDue(step, config.every.checkpoint, steps)) await this.#save();
      if (isWished) control.done('checkpoint');
      if (step >= steps && evaluation !== 'given_up') return 'done';
      heartbeat.set({ state: 'training', message: `Step ${step + 1} of ${steps}.` });
      if (this.#isStopped() || !(await this.#step())) break;
    }
    await this.#save();
    control.done('stop');
    return 'stopped';
  }

  #settings(step: number): UpdateSettings {
    const { optimiser, schedule } = this.#run.config;
    const { betas, eps, weight_decay: weightDecay, clip } = optimiser;
    return { lr: learningRate(step, this.#run.steps, optimiser.lr, schedule), betas, eps, weightDecay, clip };
  }

  /** One step. @returns false: it was given up, since the run is to stop */
  async #step(): Promise<boolean> {
    const { engine, order, data, config } = this.#run;
    const started = performance.now();
    const step = this.#progress.step + 1;
    const places = [...order.examplesOf(step - 1)];
    const examples = places.flatMap((place) => data.train[place] ?? []);
    const packing = { packTokens: config.batch.pack_tokens, sharePrefixes: config.data.share_prefixes };
    const micro = microBatches(examples, packing);
    const settings = this.#settings(step);
    try {
      const result = await trainStep(engine, micro, settings, this.#isStopped);
      if (result === null) return false;
      this.#took(step, settings.lr, result, performance.now() - started);
      return true;
    } catch (error) {
      const inFile = places.map((place) => data.places[place] ?? -1);
      if (NOT_FINITE.includes(toWireError(error).code)) await this.#keep(error, settings.lr, micro, examples, inFile);
      throw error;
    }
  }

  async #keep(
    error: unknown,
    lr: number,
    micro: MicroBatch[],
    examples: Prepared['data']['train'],
    places: number[],
  ): Promise<void> {
    const failed = { step: this.#progress.step + 1, error, lr, micro, examples, places };
    await keepFailedStep(this.#session.paths.failedStep, this.#run.engine, failed).catch((cause: unknown) => {
      const text = `The data of the failed step could not be kept: ${toWireError(cause).message}`;
      this.#session.events.append({ kind: 'note', step: this.#progress.step, text });
    });
  }

  #took(step: number, lr: number, result: StepResult, ms: number): void {
    const { engine, order, steps } = this.#run;
    const { totals } = this.#progress;
    const { loss, tokens, lossTokens, flops } = result;
    const speed = flops / (ms / 1000);
    // Timed for a moment only, while other work may have kept the machine busy: a step that is faster says more.
    if (this.#peak !== null) this.#peak = Math.max(this.#peak, speed);
    this.#session.events.append({
      kind: 'step',
      step,
      epoch: order.epochsAfter(step),
      loss,
      lr,
      grad_norm: result.gradNorm,
      tokens,
      plain_tokens: result.plainTokens,
      loss_tokens: lossTokens,
      tokens_per_s: tokens / (ms / 1000),
      share: this.#peak === null ? null : speed / this.#peak,
      memory: engine.memory(),
      ms,
    });
    this.#progress = {
      ...this.#progress,
      step,
      loss,
      totals: { tokens: totals.tokens + tokens, loss_tokens: totals.loss_tokens + lossTokens, ms: totals.ms + ms },
    };
    this.#recentMs.push(ms);
    if (this.#recentMs.length > RECENT) this.#recentMs.shift();
    const mean = this.#recentMs.reduce((sum, one) => sum + one, 0) / this.#recentMs.length;
    this.#session.heartbeat.set({ step, loss, eta_s: ((steps - step) * mean) / 1000, memory: engine.memory() });
  }

  /** @returns `given_up` where the run is to stop; the resume makes up for it */
  async #evaluateIfDue(): Promise<'best' | 'not_best' | 'not_due' | 'given_up'> {
    const { engine, data, config, steps } = this.#run;
    const { step, evaluated, best } = this.#progress;
    const isNew = evaluated?.step !== step && isDue(step, config.every.eval, steps);
    if (!isNew || data.evaluation.length === 0) return 'not_due';
    this.#session.heartbeat.set({ state: 'evaluating', message: `Evaluating after step ${step}.` });
    const started = performance.now();
    const packing = { packTokens: config.batch.pack_tokens, sharePrefixes: config.data.share_prefixes };
    const found = await evaluateExamples(engine, data.evaluation, { ...packing, isStopped: this.#isStopped });
    if (found === null) return 'given_up';
    const { loss, accuracy, lossTokens } = found;
    if (!Number.isFinite(loss)) throw evaluationNotFinite('the evaluation data');
    const isBest = best === null || loss < best.loss;
    const ms = performance.now() - started;
    this.#session.events.append({
      kind: 'eval',
      step,
      loss,
      accuracy,
      loss_tokens: lossTokens,
      best: isBest,
      ms,
    });
    this.#progress = { ...this.#progress, evaluated: { step, loss }, best: isBest ? { step, loss } : best };
    return isBest ? 'best' : 'not_best';
  }

  /** Writes a checkpoint of the last step, unless there is one. */
  async #save(): Promise<void> {
    const { record, config, engine, order } = this.#run;
    const { events, checkpoints, heartbeat, paths } = this.#session;
    const { step, best } = this.#progress;
    if (step === this.#saved) return;
    await this.#session.check();
    heartbeat.set({ state: 'saving', message: `Writing the checkpoint of step ${step}.` });
    const state: EngineState = { adapter: await engine.adapter(), optimiser: await engine.optimiser() };
    const { v, run_id, config_hash, base, data } = record;
    const about = {
      v,
      run_id,
      ...this.#progress,
      epoch: order.epochsAfter(step),
      cursor: step * config.batch.examples,
      seed: config.seed,
      config_hash,
      base: base.file.sha256,
      data: { train: data.train.sha256, eval: data.eval?.sha256 ?? null },
    };
    await checkpoints.write(about, state, this.#about, (path) => {
      const told = relative(paths.folder, path).split(sep).join('/');
      events.append({ kind: 'checkpoint', step, path: told, best: best?.step === step });
      // All that the checkpoint comes after is on the disk before it is there.
      events.sync();
    });
    this.#saved = step;
  }
}

import type { Backend } from '../backend/backend.ts';
import type { PackedBatch } from '../data/batch.ts';
import type { Adapter } from '../model/adapter.ts';
import { tokenOutsideVocabulary } from '../model/errors.ts';
import { usefulFlops } from '../model/flops.ts';
import type { Pass } from '../model/forward.ts';
import { type Block, blocks, type Trained, type TrainedAdapter, trainedMatrices } from '../model/lora.ts';
import { RotationTensors } from '../model/rotation-tensors.ts';
import { TensorScope } from '../model/scope.ts';
import type { ModelWeights } from '../model/weights.ts';
import { clipFactor } from '../optim/clip.ts';
import type { BatchResult, Engine, EngineInfo, OptimiserState, RecomputeMode, UpdateSettings } from './engine.ts';
import { nonFiniteGradient } from './errors.ts';
import { choosePlan, largestBatch, MODES, type PassPlans, planTable } from './memory-plan.ts';
import { evaluate, learn, learningKind, type PassKind, type PassObjective } from './passes.ts';
import { readAdapter, readMoments, writeState } from './state.ts';

/** A model with an adapter that learns on any backend. */
export class BackendEngine implements Engine {
  readonly info: EngineInfo;
  readonly #backend: Backend;
  readonly #weights: ModelWeights;
  readonly #adapter: TrainedAdapter;
  readonly #matrices: Trained[];
  readonly #blocks: { adapted: Block[]; bare: Block[] };
  readonly #rotation: RotationTensors;
  readonly #recompute: RecomputeMode | null;
  #plans: PassPlans | null = null;
  #step = 0;

  /**
   * @param backend closed with the engine
   * @param recompute null: as memory allows where it is planned, else `cheap`
   */
  constructor(
    backend: Backend,
    weights: ModelWeights,
    adapter: TrainedAdapter,
    device: Pick<EngineInfo, 'name' | 'peakFlops' | 'note'>,
    recompute: RecomputeMode | null = null,
  ) {
    this.#backend = backend;
    this.#recompute = recompute;
    this.#weights = weights;
    this.#adapter = adapter;
    this.#matrices = trainedMatrices(adapter);
    this.#blocks = { adapted: blocks(weights, adapter), bare: blocks(weights, null) };
    this.#rotation = new RotationTensors(backend, weights.config);
    const trainedParameters = this.#matrices.reduce((sum, { value }) => sum + value.rows * value.cols, 0);
    this.info = { ...device, device: backend.name, parameters: weights.parameters, trainedParameters };
  }

  /** See `Engine.accumulate`. */
  async accumulate(
    batch: PackedBatch,
    objective: PassObjective,
    { temperature = 1 }: { temperature?: number } = {},
  ): Promise<BatchResult & { loss: number }> {
    return this.#during(learningKind(objective), this.#pass(batch, true), (pass) =>
      learn(pass, objective, temperature),
    );
  }

  async evaluate(
    batch: PackedBatch,
    { adapter = true, temperature = 1 }: { adapter?: boolean; temperature?: number } = {},
  ): Promise<BatchResult> {
    return this.#during(adapter ? 'evaluate' : 'evaluate base', this.#pass(batch, adapter), (pass) =>
      evaluate(pass, temperature),
    );
  }

  async #during<T>(kind: PassKind, pass: Pass, call: (pass: Pass) => Promise<T>): Promise<T> {
    const { passes } = this.#backend;
    passes?.begin(this.#plans?.plans.get(kind) ?? null);
    try {
      return await call(pass);
    } finally {
      pass.scope.freeAll();
      passes?.end();
    }
  }

  async plan(packTokens: number): Promise<string | null> {
    const { passes } = this.#backend;
    if (!passes) return null;
    const pass = this.#pass(largestBatch(packTokens), true);
    const adapter = 4 * 4 * this.info.trainedParameters;
    const weights = this.#backend.memory() - passes.workspace - adapter;
    const modes = this.#recompute === null ? MODES : [this.#recompute];
    const plans = await choosePlan(passes, pass, this.#blocks.bare, modes);
    passes.adopt([...plans.plans.values()]);
    this.#plans = plans;
    const { workspace } = passes;
    return planTable(plans, { packTokens, weights, adapter, workspace, free: passes.available() });
  }

  #pass(batch: PackedBatch, adapted: boolean): Pass {
    const { vocab } = this.#weights.config;
    for (const ids of [batch.tokens, batch.targets])
      for (const token of ids) if (token < 0 || token >= vocab) throw tokenOutsideVocabulary(token, vocab);
    return {
      backend: this.#backend,
      weights: this.#weights,
      blocks: adapted ? this.#blocks.adapted : this.#blocks.bare,
      batch,
      rotation: this.#rotation.at(batch.positions),
      scope: new TensorScope(this.#backend),
      recompute: this.#plans?.mode ?? this.#recompute ?? 'cheap',
    };
  }

  async update(settings: UpdateSettings): Promise<{ gradNorm: number }> {
    const gradNorm = Math.sqrt(await this.#backend.sumSquares([this.#adapter.all.gradient]));
    if (!Number.isFinite(gradNorm)) throw nonFiniteGradient(gradNorm);
    this.#step++;
    const [beta1, beta2] = settings.betas;
    const { lr, eps, weightDecay } = settings;
    const gradScale = clipFactor(gradNorm, settings.clip);
    const adam = { lr, beta1, beta2, eps, weightDecay, gradScale, step: this.#step };
    const { value, gradient, first, second } = this.#adapter.all;
    this.#backend.adamw(value, gradient, first, second, adam);
    this.#backend.fill(gradient, 0);
    return { gradNorm };
  }

  flops(batch: PackedBatch): number {
    return usefulFlops(this.#weights.config, this.info.trainedParameters, batch);
  }

  adapter(): Promise<Adapter> {
    return readAdapter(this.#backend, this.#adapter);
  }

  async optimiser(): Promise<OptimiserState> {
    return { step: this.#step, ...(await readMoments(this.#backend, this.#matrices)) };
  }

  /** @throws AppError `adapter_mismatch`, `state_mismatch`, with nothing changed */
  async restore(adapter: Adapter, optimiser: OptimiserState): Promise<void> {
    writeState(this.#backend, this.#adapter, adapter, optimiser);
    this.#step = optimiser.step;
  }

  memory(): number {
    return this.#backend.memory();
  }

  close(): Promise<void> {
    return this.#backend.close();
  }
}

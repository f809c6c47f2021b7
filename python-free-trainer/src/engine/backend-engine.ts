import type { Backend } from '../backend/backend.ts';
import type { PackedBatch } from '../data/batch.ts';
import type { Adapter } from '../model/adapter.ts';
import { backward } from '../model/backward.ts';
import { tokenOutsideVocabulary } from '../model/errors.ts';
import { usefulFlops } from '../model/flops.ts';
import { type Activations, forward, type Pass } from '../model/forward.ts';
import { type Block, blocks, type Trained, type TrainedAdapter, trainedMatrices } from '../model/lora.ts';
import { RotationTensors } from '../model/rotation-tensors.ts';
import { TensorScope } from '../model/scope.ts';
import type { ModelWeights } from '../model/weights.ts';
import { clipFactor } from '../optim/clip.ts';
import type { BatchResult, Engine, EngineInfo, Objective, OptimiserState, UpdateSettings } from './engine.ts';
import { nonFiniteGradient, nonFiniteLoss } from './errors.ts';
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
  #step = 0;

  /** @param backend closed with the engine */
  constructor(
    backend: Backend,
    weights: ModelWeights,
    adapter: TrainedAdapter,
    device: Pick<EngineInfo, 'name' | 'peakFlops'>,
  ) {
    this.#backend = backend;
    this.#weights = weights;
    this.#adapter = adapter;
    this.#matrices = trainedMatrices(adapter);
    this.#blocks = { adapted: blocks(weights, adapter), bare: blocks(weights, null) };
    this.#rotation = new RotationTensors(backend, weights.config);
    const trainedParameters = this.#matrices.reduce((sum, { value }) => sum + value.rows * value.cols, 0);
    this.info = { ...device, device: backend.name, parameters: weights.parameters, trainedParameters };
  }

  async accumulate(
    batch: PackedBatch,
    objective: Objective,
    { temperature = 1 }: { temperature?: number } = {},
  ): Promise<BatchResult & { loss: number }> {
    const pass = this.#pass(batch, true);
    try {
      const kept = forward(pass, true);
      const { head } = this.#weights;
      const { lossRows, targets } = batch;
      const outcome = await this.#backend.logProbs(kept.hidden, head, lossRows, targets, temperature);
      const { logProbs, logSums, correct } = outcome;
      const { loss, gradient } = objective(logProbs, batch);
      if (!Number.isFinite(loss) || !gradient.every(Number.isFinite)) throw nonFiniteLoss(loss);
      const dHidden = pass.scope.tensor(kept.hidden.rows, kept.hidden.cols);
      const at = [lossRows, targets, temperature] as const;
      this.#backend.logProbsBackward(dHidden, gradient, kept.hidden, head, ...at, logSums);
      backward(pass, kept, dHidden);
      return { logProbs, correct, loss };
    } finally {
      pass.scope.freeAll();
    }
  }

  async evaluate(
    batch: PackedBatch,
    { adapter = true, temperature = 1 }: { adapter?: boolean; temperature?: number } = {},
  ): Promise<BatchResult> {
    const pass = this.#pass(batch, adapter);
    try {
      const { hidden }: Activations = forward(pass, false);
      const { lossRows, targets } = batch;
      const { head } = this.#weights;
      const { logProbs, correct } = await this.#backend.logProbs(hidden, head, lossRows, targets, temperature);
      return { logProbs, correct };
    } finally {
      pass.scope.freeAll();
    }
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
    };
  }

  async update(settings: UpdateSettings): Promise<{ gradNorm: number }> {
    const gradNorm = Math.sqrt(await this.#backend.sumSquares(this.#matrices.map(({ gradient }) => gradient)));
    if (!Number.isFinite(gradNorm)) throw nonFiniteGradient(gradNorm);
    this.#step++;
    const [beta1, beta2] = settings.betas;
    const { lr, eps, weightDecay } = settings;
    const gradScale = clipFactor(gradNorm, settings.clip);
    const adam = { lr, beta1, beta2, eps, weightDecay, gradScale, step: this.#step };
    for (const { value, gradient, first, second } of this.#matrices) {
      this.#backend.adamw(value, gradient, first, second, adam);
      this.#backend.fill(gradient, 0);
    }
    return { gradNorm };
  }

  flops(batch: PackedBatch): number {
    return usefulFlops(this.#weights.config, this.#adapter, batch);
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

import type { Backend, Tensor } from '../../../python-free-trainer/src/backend/backend.ts';
import type { Floats } from '../../../python-free-trainer/src/backend/cpu/matrix.ts';
import type { PackedBatch } from '../../../python-free-trainer/src/data/batch.ts';
import { BackendEngine } from '../../../python-free-trainer/src/engine/backend-engine.ts';
import { openCpu } from '../../../python-free-trainer/src/engine/cpu-engine.ts';
import type { Engine } from '../../../python-free-trainer/src/engine/engine.ts';
import type { WeightSource } from '../../../python-free-trainer/src/io/weight-source.ts';
import type { Adapter } from '../../../python-free-trainer/src/model/adapter.ts';
import { type Activations, forward } from '../../../python-free-trainer/src/model/forward.ts';
import { blocks, type TrainedAdapter, trainAdapter } from '../../../python-free-trainer/src/model/lora.ts';
import { RotationTensors } from '../../../python-free-trainer/src/model/rotation-tensors.ts';
import { TensorScope } from '../../../python-free-trainer/src/model/scope.ts';
import { targetName } from '../../../python-free-trainer/src/model/targets.ts';
import { loadWeights, type ModelWeights } from '../../../python-free-trainer/src/model/weights.ts';

/** An engine and what lies inside it. */
export interface Learner {
  engine: Engine;
  backend: Backend;
  weights: ModelWeights;
  trained: TrainedAdapter;
}

export interface LearnerOptions {
  source: WeightSource;
  adapter: Adapter;
  threads?: number;
  float64?: boolean;
}

export async function openLearner({ source, adapter, threads = 1, float64 = false }: LearnerOptions): Promise<Learner> {
  const { backend, name, peakFlops } = openCpu(threads, float64);
  const weights = await loadWeights(backend, source);
  const trained = trainAdapter(backend, source.config, adapter);
  return { backend, weights, trained, engine: new BackendEngine(backend, weights, trained, { name, peakFlops }) };
}

/** One kind of numbers of each trained matrix, under peft's names (`…q_proj.lora_A.weight`), copied. */
export async function trainedNumbers(
  { backend, trained }: Learner,
  kind: 'value' | 'gradient' | 'first' | 'second',
): Promise<Map<string, Floats>> {
  const numbers = new Map<string, Floats>();
  for (const { layer, target, a, b } of trained.pairs) {
    numbers.set(`${targetName(layer, target)}.lora_A.weight`, await backend.read(a[kind]));
    numbers.set(`${targetName(layer, target)}.lora_B.weight`, await backend.read(b[kind]));
  }
  return numbers;
}

/** The logits of a forward pass outside the engine, [rows, vocab], of all rows or of the last; `probe` sees its tensors. */
export async function observe(
  { backend, weights, trained }: Learner,
  batch: PackedBatch,
  options: { adapter: boolean; last?: boolean; probe?: (name: string, tensor: Tensor) => void },
): Promise<Floats> {
  const scope = new TensorScope(backend);
  const adapter = options.adapter ? trained : null;
  const rotation = new RotationTensors(backend, weights.config).at(batch.positions);
  const pass = { backend, weights, blocks: blocks(weights, adapter), batch, rotation, scope, probe: options.probe };
  const { hidden }: Activations = forward(pass, false);
  const logits = await logitsOf(backend, weights, hidden, options.last ? hidden.rows - 1 : 0);
  scope.freeAll();
  return logits;
}

/** All logits of the rows from one on: the log-probability of every token plus the row's log-sum. */
async function logitsOf(
  backend: Backend,
  { head, config: { vocab } }: ModelWeights,
  hidden: Tensor,
  from: number,
): Promise<Floats> {
  const length = (hidden.rows - from) * vocab;
  const rows = Int32Array.from({ length }, (_, index) => from + Math.floor(index / vocab));
  const targets = Int32Array.from(rows, (_, index) => index % vocab);
  const { logProbs, logSums } = await backend.logProbs(hidden, head, rows, targets, 1);
  return logProbs.map((value, index) => value + (logSums[index] ?? 0));
}

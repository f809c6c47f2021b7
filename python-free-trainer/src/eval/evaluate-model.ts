import type { HashedFile, TrainingConfig } from '../../../src/protocol/training.ts';
import { exampleExceedsPack } from '../data/errors.ts';
import { rowsOf } from '../data/prefixes.ts';
import { createEngine } from '../engine/create.ts';
import { otherBaseWarning } from '../io/adapter-about.ts';
import { readAdapterWithOrigin } from '../io/read-adapter.ts';
import { openWeights } from '../io/weights.ts';
import { loadFor } from '../train/data.ts';
import { evaluationNotFinite, stoppedEarly } from '../train/errors.ts';
import { type Evaluation, evaluateExamples } from '../train/evaluate.ts';

/** What is measured, and by what. */
export interface EvaluateRequest {
  /** A GGUF file or a Hugging Face folder. */
  base: string;
  /** A PEFT folder or a GGUF file; null: the base alone. */
  adapter: string | null;
  data: string;
  maxLength: number;
  packTokens: number;
  device: TrainingConfig['device'];
  threads: number | null;
  signal: AbortSignal;
}

export interface ModelEvaluation extends Evaluation {
  model: { name: string; file: HashedFile };
  data: HashedFile;
  /** Examples that are longer than allowed and were not measured. */
  leftOut: number;
  device: string;
  ms: number;
  notes: string[];
}

/** What a fresh adapter would be like; none is used where the base alone is measured. */
const UNUSED_LORA = { r: 1, alpha: 1, rslora: false, targets: ['q_proj' as const] };

/**
 * Measures a model on a data file.
 * @throws AppError `cancelled`, `non_finite_loss`, those of model, tokenizer, data, adapter and engine
 */
export async function evaluateModel(request: EvaluateRequest): Promise<ModelEvaluation> {
  const { base, data, maxLength, packTokens, device, threads, signal } = request;
  const source = await openWeights(base);
  try {
    const found = await loadFor({ path: base, vocab: source.config.vocab }, data, maxLength);
    const rows = found.examples.reduce((most, example) => Math.max(most, rowsOf(example)), 0);
    if (rows > packTokens) throw exampleExceedsPack(rows, packTokens);
    const read = request.adapter === null ? null : await readAdapterWithOrigin(request.adapter, source.config);
    const warning = read === null ? null : otherBaseWarning(read.origin, source.file);
    const adapter = read?.adapter ?? null;
    await using engine = disposable(
      await createEngine({ device, source, lora: UNUSED_LORA, adapter, seed: 0, threads }),
    );
    const started = performance.now();
    const evaluation = await evaluateExamples(engine.value, found.examples, {
      packTokens,
      sharePrefixes: true,
      adapter: adapter !== null,
      isStopped: () => signal.aborted,
    });
    if (evaluation === null) throw stoppedEarly();
    if (!Number.isFinite(evaluation.loss)) throw evaluationNotFinite(data);
    return {
      ...evaluation,
      model: { name: source.name, file: source.file },
      data: found.file,
      leftOut: found.counts.tooLong,
      device: engine.value.info.name,
      ms: performance.now() - started,
      notes: [...found.notes, warning, engine.value.info.note].filter((note) => typeof note === 'string'),
    };
  } finally {
    await source.close();
  }
}

function disposable<T extends { close(): Promise<void> }>(value: T) {
  return { value, [Symbol.asyncDispose]: () => value.close() };
}

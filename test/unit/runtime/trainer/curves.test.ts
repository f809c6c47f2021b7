import assert from 'node:assert/strict';
import { BucketStream } from '../../../../src/core/training/bucket-stream.ts';
import { fillBuckets, planBuckets } from '../../../../src/core/training/buckets.ts';
import { defaultTrainingConfig } from '../../../../src/core/training/defaults.ts';
import { trainingDifferences } from '../../../../src/core/training/differences.ts';
import { TrainingHistory } from '../../../../src/core/training/history.ts';
import type { Buckets } from '../../../../src/protocol/training-view.ts';
import { stepEvent } from '../../../support/training-run.ts';

const WHOLE = { from: null, to: null };

function historyOf(steps: number): TrainingHistory {
  const history = new TrainingHistory();
  for (let step = 1; step <= steps; step += 1) history.take(stepEvent(step, 100_000));
  return history;
}

/** A view's side of a stream. */
function applied(before: Buckets | null, stream: BucketStream, history: TrainingHistory): Buckets | null {
  const change = stream.next(history);
  if (change === null) return before;
  const join = (old: Float64Array | undefined, now: Float64Array) =>
    Float64Array.from([...(old ?? []).slice(0, change.keep), ...now]);
  const { steps, values } = change.buckets;
  const joined = Object.entries(values).map(([name, { min, max, mean }]) => {
    const old = before?.values[name as keyof Buckets['values']];
    return [name, { min: join(old?.min, min), max: join(old?.max, max), mean: join(old?.mean, mean) }];
  });
  return { steps: join(before?.steps, steps), values: Object.fromEntries(joined) };
}

describe('the curves of a run', () => {
  it('show each step where there is room, with the very values', () => {
    const { steps } = historyOf(40);
    const plan = planBuckets(steps, WHOLE, 64);
    const { values, steps: at } = fillBuckets(steps, plan, 0);
    assert.equal(plan.width, 1);
    assert.deepEqual([...at], [...steps.column('step')]);
    for (const part of ['min', 'max', 'mean'] as const)
      assert.deepEqual([...values.loss[part]], [...steps.column('loss')]);
  });

  it('keep every peak of 100,000 steps in a few hundred buckets', () => {
    const { steps } = historyOf(100_000);
    const plan = planBuckets(steps, WHOLE, 800);
    const { values, steps: at } = fillBuckets(steps, plan, 0);
    assert.ok(at.length <= 800 && at.length > 400, `${at.length} buckets`);
    for (const name of ['loss', 'grad_norm', 'memory'] as const) {
      const column = steps.column(name);
      assert.equal(
        Math.max(...values[name].max),
        column.reduce((most, value) => Math.max(most, value)),
      );
      assert.equal(
        Math.min(...values[name].min),
        column.reduce((least, value) => Math.min(least, value)),
      );
      assert.ok(values[name].mean.every((mean, index) => mean >= (values[name].min[index] ?? 0)));
    }
  });

  it('show a part of the steps as finely as there is room', () => {
    const { steps } = historyOf(5000);
    const plan = planBuckets(steps, { from: 1001, to: 1500 }, 500);
    assert.deepEqual(
      [...fillBuckets(steps, plan, 0).steps],
      Array.from({ length: 500 }, (_, index) => 1001 + index),
    );
    assert.equal(planBuckets(steps, { from: 6000, to: 7000 }, 500).count, 0);
  });

  it('have no value where the trainer told none', () => {
    const history = new TrainingHistory();
    for (let step = 1; step <= 10; step += 1) history.take({ ...stepEvent(step, 10), share: step === 4 ? 0.5 : null });
    const { values } = fillBuckets(history.steps, planBuckets(history.steps, WHOLE, 4), 0);
    assert.deepEqual([...values.share.mean], [Number.NaN, 0.5, Number.NaN]);
  });

  it('told bit by bit are those told at once, also over a resume', () => {
    const stream = new BucketStream(WHOLE, 50);
    const history = new TrainingHistory();
    let view: Buckets | null = null;
    for (let step = 1; step <= 700; step += 1) {
      history.take(stepEvent(step, 1000));
      if (step % 7 === 0) view = applied(view, stream, history);
    }
    history.take({ kind: 'start', time: '', step: 333, of: 1000 });
    for (let step = 334; step <= 400; step += 1) history.take(stepEvent(step, 1000));
    view = applied(view, stream, history);
    const whole = new BucketStream(WHOLE, 50).next(history)?.buckets;
    assert.deepEqual(view, whole);
    assert.equal(stream.next(history), null);
  });

  it('are told anew alone where they changed: one step more is one bucket', () => {
    const history = historyOf(1000);
    const stream = new BucketStream(WHOLE, 600);
    assert.equal(stream.next(history)?.keep, 0);
    history.take(stepEvent(1001, 100_000));
    const change = stream.next(history);
    assert.ok(change && change.keep >= 499 && change.buckets.steps.length <= 2);
  });
});

describe('two configurations', () => {
  it('are compared setting by setting', () => {
    const a = defaultTrainingConfig({ base: '/a.gguf', data: '/data.jsonl' });
    const b = { ...a, lora: { ...a.lora, r: 64, targets: ['q_proj' as const] }, threads: 2 };
    assert.deepEqual(trainingDifferences(a, a), []);
    assert.deepEqual(trainingDifferences(a, b), [
      { name: 'lora.r', a: '16', b: '64' },
      {
        name: 'lora.targets',
        a: 'q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj',
        b: 'q_proj',
      },
      { name: 'threads', a: null, b: '2' },
    ]);
  });
});

import assert from 'node:assert/strict';
import type { WeightSource } from '../../../python-free-trainer/src/io/weight-source.ts';
import { openWeights } from '../../../python-free-trainer/src/io/weights.ts';
import { AppError } from '../../../src/protocol/errors.ts';

/** Both sources have the same tensors, bit for bit. */
export async function expectSameWeights(actual: WeightSource, expected: WeightSource): Promise<void> {
  assert.deepEqual([...actual.shapes.keys()].sort(), [...expected.shapes.keys()].sort());
  for (const [name, shape] of expected.shapes) {
    assert.deepEqual(actual.shapes.get(name), shape, name);
    assert.ok(
      Buffer.from((await actual.read(name)).buffer).equals(Buffer.from((await expected.read(name)).buffer)),
      name,
    );
  }
}

/** Opening fails with this code, and words that say what is wrong. */
export async function expectRefused(path: string, code: string, words: RegExp): Promise<void> {
  const error = await openWeights(path).then(
    (source) => source.close().then(() => null),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AppError, `${path} was not refused: ${error}`);
  assert.equal(error.code, code, error.message);
  assert.match(error.message, words);
  assert.ok(error.message.includes(path), `${error.message} does not name ${path}`);
}

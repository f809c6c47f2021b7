import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AlgorithmCache } from '../../../python-free-trainer/src/gpu/algorithm-cache.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const [FIRST, SECOND] = [Buffer.from([1, 2, 3]), Buffer.from([4, 5, 6])];

describe('algorithms of matrix products', () => {
  const folder = temporaryFolder();
  let files = 0;
  const path = () => join(folder.path, `${files++}`, 'gpu.jsonl');
  after(() => folder.remove());

  it('are found again by the next training', () => {
    const file = path();
    new AlgorithmCache(file).set('shape', FIRST);
    assert.deepEqual(new AlgorithmCache(file).get('shape'), FIRST);
    assert.equal(new AlgorithmCache(file).get('other'), null);
  });

  it('are those of the first of two trainings beside each other, and none loses its own', () => {
    const file = path();
    const [one, other] = [new AlgorithmCache(file), new AlgorithmCache(file)];
    assert.deepEqual(one.set('shape', FIRST), FIRST);
    assert.deepEqual(other.set('shape', SECOND), FIRST);
    other.set('of the other', SECOND);
    one.set('of the one', FIRST);
    const next = new AlgorithmCache(file);
    assert.deepEqual(
      ['shape', 'of the other', 'of the one'].map((key) => next.get(key)),
      [FIRST, SECOND, FIRST],
    );
  });

  it('make place for another where they do not run', () => {
    const file = path();
    const cache = new AlgorithmCache(file);
    cache.set('shape', FIRST);
    cache.forget('shape');
    assert.equal(cache.get('shape'), null);
    assert.deepEqual(cache.set('shape', SECOND), SECOND);
    assert.deepEqual(new AlgorithmCache(file).get('shape'), SECOND);
  });

  it('survive a line that was cut off, and text that is none of theirs', () => {
    const file = path();
    new AlgorithmCache(file).set('shape', FIRST);
    appendFileSync(file, 'null\n{"a":1}\n[1,"x"]\n["half","AQ');
    const cache = new AlgorithmCache(file);
    assert.deepEqual(cache.get('shape'), FIRST);
    cache.set('next', SECOND);
    assert.deepEqual(new AlgorithmCache(file).get('next'), SECOND);
    assert.equal(new AlgorithmCache(file).get('half'), null);
  });

  it('are kept in memory where no file can be written', () => {
    const blocked = join(folder.path, 'blocked');
    writeFileSync(blocked, '');
    for (const where of [null, join(blocked, 'gpu.jsonl')]) {
      const cache = new AlgorithmCache(where);
      assert.deepEqual(cache.set('shape', FIRST), FIRST);
      assert.deepEqual(cache.get('shape'), FIRST);
    }
  });
});

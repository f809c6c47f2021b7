import { strict as assert } from 'node:assert';
import { TensorMemory } from '../../../python-free-trainer/src/backend/cpu/memory.ts';
import { Threads } from '../../../python-free-trainer/src/backend/cpu/threads.ts';
import { answerAfter, packTexts } from '../support/batches.ts';
import { observe, openLearner } from '../support/learner.ts';
import { randomAdapter, randomModel, randomTokens, TINY } from '../support/models.ts';

describe('memory of tensors', () => {
  const threads = new Threads(1);
  after(() => threads.close());

  it('gives zeros, also where a freed tensor lay', () => {
    const memory = new TensorMemory(threads, false);
    const first = memory.tensor(30, 41);
    first.data.fill(7);
    memory.free(first);
    const second = memory.tensor(41, 30);
    assert.equal(second.data.buffer, first.data.buffer);
    assert.ok(second.data.every((value) => value === 0));
    assert.equal(second.data.length, 1230);
  });

  it('counts what is held, and a tensor that is freed twice once', () => {
    const memory = new TensorMemory(threads, true);
    const [first, second] = [memory.tensor(3, 5), memory.tensor(1, 1000)];
    assert.equal(memory.bytes, 1015 * 8);
    memory.free(first);
    memory.free(first);
    assert.equal(memory.bytes, 8000);
    memory.free(second);
    assert.equal(memory.bytes, 0);
  });

  /** A memory that counts the arrays that were made, and their elements. */
  function counted() {
    const made: number[] = [];
    const allocate = (length: number, float64: boolean) => {
      made.push(length);
      return threads.allocate(length, float64);
    };
    return { memory: new TensorMemory({ allocate }, false), made };
  }

  it('takes at most a quarter more than asked for, and no more for what lasts', () => {
    const { memory, made } = counted();
    const lengths = [99_999, 1025, 100, 7, 1];
    for (const length of lengths) memory.tensor(1, length);
    for (const [index, length] of lengths.entries()) {
      const taken = made[index] ?? Number.NaN;
      assert.ok(taken >= length && taken <= Math.ceil(length * 1.25));
    }
    memory.tensor(1, 1025, true);
    assert.equal(made.at(-1), 1025);
  });

  it('uses arrays again for packs of other lengths', () => {
    const { memory, made } = counted();
    for (const rows of [200, 150, 199, 101, 200, 173]) {
      const tensors = [memory.tensor(rows, 64), memory.tensor(rows, 96), memory.tensor(rows, 1)];
      for (const tensor of tensors) memory.free(tensor);
    }
    assert.equal(made.length, 3);
  });

  it('lets go of arrays where too much would be held', () => {
    const { memory, made } = counted();
    const [long, short] = [1024, 64];
    memory.free(memory.tensor(long, 16));
    const small = Array.from({ length: 12 }, () => memory.tensor(short, 16));
    assert.equal(made.length, 13, 'the long array is too long for the short ones');
    for (const tensor of small) memory.free(tensor);
    memory.free(memory.tensor(long, 16));
    assert.equal(made.length, 14, 'and went for the fifth of them, since a quarter more than the most may be held');
  });
});

describe('a forward pass that no backward pass follows', () => {
  it('holds no more in the last block than in the first', async () => {
    const config = { ...TINY.llama, layers: 5 };
    const learner = await openLearner({ source: randomModel(config, 1), adapter: randomAdapter(config, 2) });
    const held: number[] = [];
    const probe = (name: string) => {
      if (name.endsWith('.mlp_out')) held.push(learner.backend.memory());
    };
    await observe(learner, packTexts([answerAfter(1, randomTokens(20, config.vocab, 3))]), { adapter: true, probe });
    assert.equal(held.length, 5);
    assert.equal(new Set(held).size, 1);
    await learner.engine.close();
  });
});

import assert from 'node:assert/strict';
import { createOrder, holdOut, joined, type OrderOptions } from '../../../python-free-trainer/src/data/order.ts';

const options: OrderOptions = { examples: 23, seed: 11, batch: 4, epochs: 3, families: null };

function all(changes: Partial<OrderOptions> = {}): number[][] {
  const order = createOrder({ ...options, ...changes });
  return Array.from({ length: order.steps }, (_, step) => [...order.examplesOf(step)]);
}

describe('the order of examples', () => {
  it('has every example once an epoch, in steps of one size but the last', () => {
    const steps = all();
    assert.deepEqual(
      steps.map(({ length }) => length),
      [...Array(17).fill(4), 1],
    );
    for (let epoch = 0; epoch < 3; epoch += 1)
      assert.deepEqual(
        steps
          .flat()
          .slice(23 * epoch, 23 * (epoch + 1))
          .sort((a, b) => a - b),
        [...Array(23).keys()],
      );
  });

  it('is another one each epoch and for each seed, and the same for the same seed', () => {
    const flat = all().flat();
    assert.notDeepEqual(flat.slice(0, 23), flat.slice(23, 46));
    assert.notDeepEqual(all({ seed: 12 }), all());
    assert.notDeepEqual(all({ seed: 11 + 2 ** 32 }), all());
    assert.deepEqual(all(), all());
  });

  it('of a step needs no step before it', () => {
    const steps = all();
    for (const step of [17, 3, 9, 0, 16]) assert.deepEqual([...createOrder(options).examplesOf(step)], steps[step]);
  });

  it('takes parts of an epoch, and says how many are done', () => {
    const order = createOrder({ ...options, epochs: 0.5 });
    assert.equal(order.steps, 3);
    assert.equal(order.examplesOf(3).length, 0);
    assert.equal(order.epochsAfter(3), 12 / 23);
    assert.equal(createOrder({ ...options, epochs: 0.001 }).steps, 1);
    assert.equal(createOrder(options).epochsAfter(18), 3);
  });

  it('draws each place about equally often', () => {
    const first = Array.from(
      { length: 2000 },
      (_, seed) => createOrder({ ...options, examples: 4, seed }).examplesOf(0)[0],
    );
    for (const example of [0, 1, 2, 3]) {
      const count = first.filter((drawn) => drawn === example).length;
      // 500 expected, standard deviation 19.
      assert.ok(Math.abs(count - 500) < 100, `${example}: ${count}`);
    }
  });

  it('keeps examples of one family together in chunks, with at least four families in a step', () => {
    const families = Int32Array.from({ length: 400 }, (_, index) => index % 10);
    const steps = all({ examples: 400, batch: 16, epochs: 2, families });
    for (const step of steps) {
      const met = step.map((example) => families[example]);
      for (let start = 0; start < 16; start += 4) assert.equal(new Set(met.slice(start, start + 4)).size, 1);
    }
    for (const epoch of [0, 1]) assert.equal(new Set(steps.slice(25 * epoch, 25 * (epoch + 1)).flat()).size, 400);
    assert.notDeepEqual(steps.slice(0, 25), steps.slice(25));
    const partners = (step: number[] | undefined) =>
      step
        ?.slice(0, 4)
        .sort((a, b) => a - b)
        .join();
    assert.notEqual(partners(steps[0]), partners(steps[25]));
  });
});

describe('examples that belong together', () => {
  it('do so by their prompt or their item, also by way of others', () => {
    const prompts = Int32Array.from([0, 0, 1, 2, 3, 4, 4]);
    const items = Int32Array.from([5, 6, 6, 7, 7, 8, 9]);
    const groups = joined(prompts, items);
    const together = [0, 1, 2, 3, 4, 5, 6].map((example) => groups.indexOf(groups[example] ?? -1));
    assert.deepEqual(together, [0, 0, 0, 3, 3, 5, 5]);
  });

  it('are found at once among many', () => {
    const count = 200_000;
    const chain = (from: number) => Int32Array.from({ length: count }, (_, index) => Math.floor((index + from) / 2));
    assert.equal(new Set(joined(chain(0), chain(1))).size, 1);
  });
});

describe('examples that are set apart', () => {
  const same = Int32Array.from({ length: 100 }, (_, index) => Math.floor(index / 2));

  it('are as many as asked for, a choice of the seed, and not trained on', () => {
    const { train, heldOut } = holdOut(100, 0.1, 5, same);
    assert.equal(heldOut.length, 10);
    assert.deepEqual(
      [...train, ...heldOut].sort((a, b) => a - b),
      [...Array(100).keys()],
    );
    assert.deepEqual(holdOut(100, 0.1, 5, same), { train, heldOut });
    assert.notDeepEqual(holdOut(100, 0.1, 6, same).heldOut, heldOut);
  });

  it('have no prompt that is trained on', () => {
    const { train, heldOut } = holdOut(100, 0.3, 5, same);
    const trained = new Set([...train].map((index) => same[index]));
    assert.ok([...heldOut].every((index) => !trained.has(same[index])));
  });

  it('are none for a share of 0, and leave one where there are few', () => {
    assert.equal(holdOut(100, 0, 5, same).heldOut.length, 0);
    const few = holdOut(3, 0.99, 5, Int32Array.from([0, 1, 2]));
    assert.deepEqual([few.train.length, few.heldOut.length], [1, 2]);
    assert.equal(holdOut(3, 0.01, 5, Int32Array.from([0, 1, 2])).heldOut.length, 1);
  });
});

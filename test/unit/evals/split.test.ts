import assert from 'node:assert/strict';
import { makeSplits, type SplitPlan } from '../../../src/core/evals/split.ts';
import { AppError } from '../../../src/protocol/errors.ts';
import { loadDataset } from '../../../src/runtime/evals/load-dataset.ts';
import { sha256 } from '../../../src/runtime/evals/splits.ts';
import { needShared } from '../../support/shared.ts';

/** Items of databases of the sizes given, named d0, d1 … */
function items(sizes: readonly number[]) {
  return sizes.flatMap((size, database) =>
    Array.from({ length: size }, (_, index) => ({
      id: `${database}.${index}`,
      db_id: `d${database}`,
      database: null,
    })),
  );
}

function plan(shares: Record<string, number>, seed = 1, sealed: string[] = []): SplitPlan {
  return { parts: Object.entries(shares).map(([name, share]) => ({ name, share })), seed, sealed };
}

const SIZES = [40, 3, 17, 90, 21, 8, 8, 33, 12, 60, 5, 44, 29, 31, 2, 70, 19, 26];

describe('splits', () => {
  it('have no database in common, and all items of theirs', () => {
    const all = items(SIZES);
    for (let seed = 0; seed < 50; seed++) {
      const splits = makeSplits(all, plan({ a: 0.5, b: 0.2, c: 0.1 }, seed), sha256);
      const databases = splits.flatMap((split) => split.databases);
      assert.equal(new Set(databases).size, databases.length);
      for (const split of splits)
        assert.deepEqual(
          split.ids,
          all.filter(({ db_id }) => split.databases.includes(db_id)).map(({ id }) => id),
        );
    }
  });

  it('come near the shares', () => {
    const all = items(SIZES);
    for (let seed = 0; seed < 50; seed++) {
      const splits = makeSplits(all, plan({ a: 0.7, b: 0.2, c: 0.1 }, seed), sha256);
      assert.equal(splits.flatMap(({ ids }) => ids).length, all.length);
      for (const [index, share] of [0.7, 0.2, 0.1].entries()) {
        const size = splits[index]?.ids.length ?? 0;
        assert.ok(Math.abs(size - share * all.length) <= 3, `seed ${seed}: ${size} for ${share * all.length}`);
      }
    }
  });

  it('are as near as any division where all can be tried', () => {
    const sizes = [9, 7, 6, 4, 3];
    const target = 0.6 * 29;
    let best = Number.POSITIVE_INFINITY;
    for (let chosen = 1; chosen < 31; chosen++) {
      const sum = sizes.reduce((total, size, index) => total + ((chosen >> index) & 1 ? size : 0), 0);
      best = Math.min(best, Math.abs(sum - target));
    }
    for (let seed = 0; seed < 20; seed++) {
      const [first] = makeSplits(items(sizes), plan({ a: 0.6, b: 0.4 }, seed), sha256);
      assert.ok(Math.abs((first?.ids.length ?? 0) - target) <= best + 1e-9, `seed ${seed}: ${first?.ids.length}`);
    }
  });

  it('are the same for the same seed whatever the order of the items, and others for another seed', () => {
    const all = items(SIZES);
    const names = (seed: number, of = all) =>
      makeSplits(of, plan({ a: 0.5, b: 0.3 }, seed), sha256).map(({ databases }) => databases);
    assert.deepEqual(names(7), names(7));
    assert.deepEqual(names(7, all.toReversed()), names(7));
    const different = new Set(Array.from({ length: 20 }, (_, seed) => JSON.stringify(names(seed))));
    assert.ok(different.size > 15, `${different.size} of 20`);
  });

  it('leave items over where the shares are below 1, also the largest database', () => {
    const all = items([1000, 10, 10, 10]);
    const [only] = makeSplits(all, plan({ small: 0.02 }), sha256);
    assert.equal(only?.ids.length, 20);
  });

  it('each have a database, also where a share is too small for one', () => {
    for (let seed = 0; seed < 20; seed++) {
      for (const sizes of [
        [50, 50, 50],
        [1, 100, 100],
        [10, 10],
      ]) {
        const parts = sizes.length === 2 ? { a: 0.001, b: 0.002 } : { a: 0.001, b: 0.9, c: 0.001 };
        const splits = makeSplits(items(sizes), plan(parts, seed), sha256);
        assert.ok(splits.every(({ ids }) => ids.length > 0));
      }
    }
  });

  it('carry the SHA-256 of their ids, one a line', () => {
    const [split] = makeSplits(items([2]), plan({ all: 1 }), sha256);
    // printf '0.0\n0.1\n' | sha256sum
    assert.equal(split?.hash, '3e219f3293f16ae9d936d789bae83e845cc985c380c6836033209b5267d187b0');
  });

  it('of a suite go by the path of the database', () => {
    const of = ['x/a.sqlite', 'y/a.sqlite'].map((database, id) => ({ id: String(id), db_id: 'a', database }));
    const splits = makeSplits(of, plan({ a: 0.5, b: 0.5 }), sha256);
    assert.deepEqual(splits.flatMap(({ databases }) => databases).sort(), ['x/a.sqlite', 'y/a.sqlite']);
  });

  it('are refused where the plan makes no sense', () => {
    const cases: [SplitPlan, string][] = [
      [plan({ a: 0.8, b: 0.3 }), 'split_shares'],
      [plan({ a: 0 }), 'split_share'],
      [plan({ a: 1.5 }), 'split_share'],
      [plan({ a: Number.NaN }), 'split_share'],
      [plan({ 'a b': 0.5 }), 'split_name'],
      [
        {
          parts: [
            { name: 'a', share: 0.1 },
            { name: 'a', share: 0.1 },
          ],
          seed: 1,
          sealed: [],
        },
        'split_name_twice',
      ],
      [plan({ a: 0.1, b: 0.1, c: 0.1 }), 'split_too_many'],
      [plan({ a: 0.1 }, 1, ['b']), 'split_seal_unknown'],
    ];
    for (const [bad, code] of cases)
      assert.throws(
        () => makeSplits(items([5, 5]), bad, sha256),
        (error) => error instanceof AppError && error.code === code,
        code,
      );
    assert.equal(makeSplits(items([5, 5, 5]), plan({ a: 0.7, b: 0.2, c: 0.1 }), sha256).length, 3);
  });

  it('of BIRD train are within a thousandth of 80, 10 and 10 %', async function () {
    const dataset = await loadDataset(needShared(this, 'data/bird/train.json'));
    for (const seed of [1, 2, 3]) {
      const splits = makeSplits(dataset.items, plan({ train: 0.8, dev: 0.1, test: 0.1 }, seed), sha256);
      for (const [index, share] of [0.8, 0.1, 0.1].entries())
        assert.ok(Math.abs((splits[index]?.ids.length ?? 0) / dataset.items.length - share) < 0.001);
    }
  });
});

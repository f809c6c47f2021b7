import assert from 'node:assert/strict';
import { type Cluster, clusteredBootstrap, RESAMPLING } from '../../../src/core/score/statistics/bootstrap.ts';
import { Random } from '../../../src/core/score/statistics/random.ts';
import { knownValues } from './known.ts';

function clustersOf(differences: readonly number[], items: readonly number[]): Cluster[] {
  return differences.map((difference, index) => ({ difference, items: items[index] ?? 0 }));
}

function ends(clusters: readonly Cluster[], resampling = RESAMPLING): [number, number] {
  const interval = clusteredBootstrap(clusters, resampling);
  assert.ok(interval);
  return [interval.low, interval.high];
}

describe('bootstrap clustered by database', () => {
  it("agrees with numpy's and scipy's within the error of the draws", () => {
    for (const { differences, items, numpy, wander, scipy } of knownValues().bootstrap) {
      const own = ends(clustersOf(differences, items));
      for (const end of [0, 1] as const) {
        const allowed = 5 * wander[end] + 1e-12;
        const what = `${items.length} clusters, end ${end}: ${own[end]}`;
        assert.ok(Math.abs(own[end] - numpy[end]) <= allowed, `${what}, numpy ${numpy[end]} ± ${allowed}`);
        assert.ok(Math.abs(own[end] - scipy[end]) <= 2 * allowed, `${what}, scipy ${scipy[end]}`);
      }
    }
  });

  it('gives the binomial quantiles where every cluster is one item', () => {
    for (const { clusters, gained, low, high } of knownValues().closed_forms) {
      const single = Array.from({ length: clusters }, (_, index) => ({ difference: index < gained ? 1 : 0, items: 1 }));
      const [lowest, highest] = ends(single);
      assert.ok(Math.abs(lowest * clusters - low) <= 1, `${clusters}: ${lowest * clusters}, not ${low}`);
      assert.ok(Math.abs(highest * clusters - high) <= 1, `${clusters}: ${highest * clusters}, not ${high}`);
    }
  });

  it('reaches from one cluster to the other where there are two', () => {
    const two = [
      { difference: -3, items: 10 },
      { difference: 5, items: 20 },
    ];
    assert.deepEqual(ends(two), [-0.3, 0.25]);
  });

  it('is wider than an interval that takes the items of a database as independent', () => {
    const alike = Array.from({ length: 20 }, (_, index) => ({ difference: index % 2 === 0 ? 10 : -10, items: 10 }));
    const apart = alike.flatMap(({ difference }) =>
      Array.from({ length: 10 }, () => ({ difference: Math.sign(difference), items: 1 })),
    );
    const [low, high] = ends(alike);
    const [lowApart, highApart] = ends(apart);
    assert.ok(high - low > 2.5 * (highApart - lowApart));
  });

  it('gives the same interval for the same seed and another for another', () => {
    const clusters = clustersOf([3, -2, 5, 1, 0, -4, 2], [10, 9, 14, 8, 8, 11, 7]);
    assert.deepEqual(ends(clusters), ends(clusters));
    assert.notDeepEqual(ends(clusters), ends(clusters, { resamples: 999, seed: 2 }));
  });

  it('gives no interval of fewer than two clusters', () => {
    assert.equal(clusteredBootstrap([]), null);
    assert.equal(clusteredBootstrap([{ difference: 3, items: 40 }]), null);
    assert.equal(
      clusteredBootstrap([
        { difference: 3, items: 40 },
        { difference: 0, items: 0 },
      ]),
      null,
    );
  });
});

describe('seeded generator', () => {
  it('gives the numbers of xoshiro128** for a seed', () => {
    for (const { seed, numbers } of knownValues().random) {
      const random = new Random(seed);
      assert.deepEqual(
        numbers.map(() => random.uint32()),
        numbers,
      );
    }
  });

  it('gives every number below a bound about equally often', () => {
    const random = new Random(7);
    const counts = new Array<number>(7).fill(0);
    for (let i = 0; i < 70_000; i++) {
      const number = random.below(7);
      counts[number] = (counts[number] ?? 0) + 1;
    }
    for (const count of counts) assert.ok(Math.abs(count - 10_000) < 500, String(counts));
  });
});

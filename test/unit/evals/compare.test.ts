import assert from 'node:assert/strict';
import { type CompareOptions, compareRuns } from '../../../src/core/evals/compare.ts';
import type { FinishedRun } from '../../../src/core/evals/compare-items.ts';
import type { ItemRecord } from '../../../src/protocol/eval.ts';
import type { Outcome } from '../../../src/protocol/ledger.ts';
import type { EvalEntry } from '../ledger/support/entry.ts';
import { finishedRun, itemRecord } from './report-runs.ts';

type Changes = (index: number) => Partial<ItemRecord>;

/** A run whose items are right (`+`), wrong (`-`), or without a gold that runs (`0`), one a character; blanks are for reading. */
function run(
  name: string,
  pattern: string,
  changes: Changes = () => ({}),
  entry: Partial<EvalEntry> = {},
): FinishedRun {
  const outcomes: Record<string, Outcome> = { '+': 'right', '-': 'wrong_rows', '0': 'gold_failed' };
  const records = [...pattern.replaceAll(' ', '')].map((sign, index) =>
    itemRecord(`q${index}`, outcomes[sign] ?? 'right', changes(index)),
  );
  return finishedRun(name, records, entry);
}

const ids = (flips: readonly { id: string }[]) => flips.map(({ id }) => id);

/** The configuration of a run over another dataset. */
function otherDataset(): Partial<EvalEntry> {
  const { config } = finishedRun('x', []).line;
  return { config: { ...config, dataset: { ...config.dataset, name: 'other.json', hash: 'f'.repeat(64) } } };
}

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code);
    throw error;
  }
  return 'nothing was thrown';
}

describe('comparison of two runs', () => {
  it('lists what is gained and lost, with both answers', () => {
    const comparison = compareRuns(run('a', '++--+-'), run('b', '+-+-++'));
    assert.deepEqual(ids(comparison.gained), ['q2', 'q5']);
    assert.deepEqual(ids(comparison.lost), ['q1']);
    assert.equal(comparison.both_right, 2);
    assert.equal(comparison.both_wrong, 1);
    assert.equal(comparison.a.share.right, 3);
    assert.equal(comparison.b.share.right, 4);
    assert.deepEqual(comparison.lost[0]?.b, {
      sql: "SELECT count(*) FROM item WHERE name = 'q1'",
      outcome: 'wrong_rows',
      reason: 'row_values',
    });
    assert.equal(comparison.lost[0]?.a.outcome, 'right');
  });

  it('gives the p value of the exact test and the difference of the shares', () => {
    // 9 gained, 1 lost: 2 * (C(10,0) + C(10,1)) / 2^10
    const comparison = compareRuns(run('a', `+${'-'.repeat(9)}${'+'.repeat(30)}`), run('b', `-${'+'.repeat(39)}`));
    assert.ok(Math.abs(comparison.p - 22 / 1024) < 1e-15);
    assert.equal(comparison.difference.value, 8 / 40);
  });

  it('leaves out items whose gold fails in either run, and says which', () => {
    const comparison = compareRuns(run('a', '+0+-'), run('b', '++0+'));
    assert.deepEqual(comparison.items.gold_failed, ['q1', 'q2']);
    assert.equal(comparison.items.compared, 2);
    assert.deepEqual(ids(comparison.gained), ['q3']);
    assert.ok(comparison.notes.includes('2 items whose gold query fails in a run: left out.'));
  });

  it('compares the items that both have, and names those that one alone has', () => {
    const a = run('a', '+++');
    const b = finishedRun('b', [itemRecord('q1', 'right'), itemRecord('q2', 'wrong_rows'), itemRecord('q9', 'right')], {
      state: 'stopped',
    });
    const comparison = compareRuns(a, b);
    assert.deepEqual(comparison.items.only_a, ['q0']);
    assert.deepEqual(comparison.items.only_b, ['q9']);
    assert.equal(comparison.items.compared, 2);
    assert.equal(comparison.a.share.of, 2);
    assert.ok(comparison.notes.includes('B was stopped after 3 of 3 items.'));
  });

  it('takes the headline metric of the first run, or the one named', () => {
    const strict = (index: number): Partial<ItemRecord> =>
      index === 0
        ? { verdict: { ...itemRecord('q0', 'right').verdict, strict_ex: false, reason: 'duplicates_only' } }
        : {};
    const a = run('a', '++');
    const b = run('b', '++', strict);
    assert.equal(compareRuns(a, b).lost.length, 0);
    const [lost] = compareRuns(a, b, { metric: 'strict_ex' }).lost;
    assert.deepEqual(lost?.b, { sql: lost?.b.sql, outcome: 'wrong_rows', reason: 'duplicates_only' });
  });

  it('refuses a metric that a run was not scored by', () => {
    const unscored = (): Partial<ItemRecord> => {
      const { spider_ex: _, ...verdict } = itemRecord('q0', 'right').verdict;
      return { verdict };
    };
    const compare = () => compareRuns(run('a', '+'), run('b', '+', unscored), { metric: 'spider_ex' });
    assert.equal(codeOf(compare), 'metric_not_scored');
  });

  it('refuses runs without a common item, and runs in whose common items every gold fails', () => {
    const other = finishedRun('b', [itemRecord('z', 'right')]);
    assert.equal(
      codeOf(() => compareRuns(run('a', '++'), other)),
      'compare_nothing',
    );
    assert.equal(
      codeOf(() => compareRuns(run('a', '00'), run('b', '+0'))),
      'compare_nothing',
    );
  });

  it('groups by database and from easy to hard', () => {
    const spread: Changes = (index) => ({
      db_id: index % 2 === 0 ? 'zoo' : 'air',
      difficulty: ['challenging', 'simple', null][index % 3] ?? null,
    });
    const comparison = compareRuns(run('a', '+-+-+-', spread), run('b', '-++--+', spread));
    assert.deepEqual(
      comparison.by_database.map(({ name, items, a, b, gained, lost }) => [
        name,
        items,
        a.right,
        b.right,
        gained,
        lost,
      ]),
      [
        ['air', 3, 0, 2, 2, 0],
        ['zoo', 3, 3, 1, 0, 2],
      ],
    );
    assert.deepEqual(
      comparison.by_difficulty.map(({ name }) => name),
      ['simple', 'challenging', '(none)'],
    );
    assert.deepEqual(compareRuns(run('a', '+'), run('b', '-')).by_difficulty, []);
  });

  it('names the settings that differ', () => {
    const { config, machine } = finishedRun('x', []).line;
    const model = { ...config.model, name: 'coder' };
    const comparison = compareRuns(
      run('a', '+'),
      run('b', '+', undefined, { config: { ...config, model }, machine: { ...machine, cpus: 8 } }),
    );
    assert.deepEqual(comparison.settings, [
      { name: 'model', a: 'small', b: 'coder' },
      { name: 'processors', a: '2', b: '8' },
    ]);
  });

  it('says when the runs were scored by different settings', () => {
    const { config } = finishedRun('x', []).line;
    const lenient = { config: { ...config, score: { ...config.score, orderPolicy: 'ignore' as const } } };
    const { notes } = compareRuns(run('a', '+'), run('b', '+', undefined, lenient));
    assert.ok(notes.some((note) => note.includes('scored by different settings')));
  });

  describe('of different datasets', () => {
    it('compares where every common id has the same database and gold', () => {
      const comparison = compareRuns(run('a', '+-'), run('b', '++', undefined, otherDataset()));
      assert.equal(comparison.items.compared, 2);
      assert.match(comparison.notes.join(' '), /different datasets/);
    });

    it('refuses where golds differ and says how many items match; compares those when told to', () => {
      const changed: Changes = (index) => (index === 1 ? { gold: 'SELECT 1' } : {});
      const compare = (options?: CompareOptions) =>
        compareRuns(run('a', '+-+'), run('b', '+++', changed, otherDataset()), options);
      assert.throws(compare, { code: 'compare_datasets', message: /of 3 ids that both have, 2 have the same/ });
      const comparison = compare({ matching: true });
      assert.equal(comparison.items.compared, 2);
      assert.deepEqual(comparison.items.other_gold, ['q1']);
    });

    it('refuses where nothing matches, whatever is asked for', () => {
      const elsewhere: Changes = () => ({ db_id: 'other' });
      const compare = () => compareRuns(run('a', '++'), run('b', '++', elsewhere, otherDataset()), { matching: true });
      assert.throws(compare, { code: 'compare_datasets', message: /no item in common/ });
    });
  });

  describe('in plain words', () => {
    /** @param databases items are dealt to as many databases in turn */
    const sentence = (a: string, b: string, databases = 10) => {
      const dealt: Changes = (index) => ({ db_id: `db${index % databases}` });
      return compareRuns(run('a', a, dealt), run('b', b, dealt)).sentence;
    };

    it('says that B is better, by how much, and what it comes from', () => {
      const words = sentence('-'.repeat(60) + '+'.repeat(140), '+'.repeat(40) + '-'.repeat(20) + '+'.repeat(140));
      assert.match(words, /^B is better than A by 20\.0 points \(95 % interval [\d.]+ to [\d.]+, p < 0\.001\)/);
      assert.match(words, /of 200 items B gains 40 and loses 0\.$/);
    });

    it('says that A is better with an interval of the same sign', () => {
      const words = sentence('+'.repeat(200), '-'.repeat(40) + '+'.repeat(160));
      assert.match(words, /^A is better than B by 20\.0 points \(95 % interval 20\.0 to 20\.0, p < 0\.001\)/);
    });

    it('says that no difference can be told', () => {
      const words = sentence('+-+-+-'.repeat(10), '-++-+-'.repeat(10));
      assert.match(
        words,
        /^No difference can be told: B is as good as A, with 0\.0 points .* gains 10 and loses 10\.$/,
      );
    });

    it('does not rely on a difference that comes from one database alone', () => {
      const words = sentence(`${'-+++++++++'.repeat(12)}`, '+'.repeat(120));
      assert.match(words, /^No difference can be relied on: B is 10\.0 points above A .* some of the databases/);
    });

    it('does not rely on a difference of too few items', () => {
      const words = sentence('----', '++++', 4);
      assert.match(words, /^No difference can be relied on: B is 100\.0 points above A .* too few items\.$/);
    });

    it('says of one database that nothing is known of others', () => {
      const words = sentence('-'.repeat(20), '+'.repeat(20), 1);
      assert.match(words, /^B is better than A by 100\.0 points \(p < 0\.001\).* nothing is said about others\.$/);
    });

    it('says that the same items are right', () => {
      assert.equal(sentence('+-+', '+-+'), 'No difference: of 3 compared items A and B are right on the same ones.');
    });
  });
});

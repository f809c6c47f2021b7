import assert from 'node:assert/strict';
import { comparableWith, groupRuns, historyOf } from '../../../../src/host/runs/groups.ts';
import { config, runOn, share } from './support.ts';

const split = { name: 'dev', hash: 'd'.repeat(64) };

describe('the groups of the Runs view', () => {
  it('are datasets, each with its splits apart; runs stand newest first', () => {
    const other = { ...config, dataset: { ...config.dataset, name: 'other.json' } };
    const groups = groupRuns([
      runOn(1, 'a'),
      runOn(3, 'b', { config: { ...config, split } }),
      runOn(2, 'c'),
      runOn(9, 'd', { config: other }),
    ]);
    assert.deepEqual(
      groups.map(({ dataset, split: name, runs }) => [dataset, name, runs.map(({ id }) => id)]),
      [
        ['other.json', null, ['d']],
        ['dev.json', 'dev', ['b']],
        ['dev.json', null, ['c', 'a']],
      ],
    );
  });

  it('keep files of one name and other contents apart', () => {
    const changed = { ...config, dataset: { ...config.dataset, hash: 'f'.repeat(64) } };
    assert.equal(groupRuns([runOn(1, 'a'), runOn(2, 'b', { config: changed })]).length, 2);
  });

  it('have a history of runs over the same items by the same metric, oldest first', () => {
    const sample = { ...config, items: { ...config.items, hash: 's'.repeat(64) } };
    const strict = { ...config, metric: 'strict_ex' as const };
    const runs = [
      runOn(1, 'a', { share: share(1, 4) }),
      runOn(2, 'sample', { share: share(4, 4), config: sample }),
      runOn(3, 'strict', { share: share(4, 4), config: strict }),
      runOn(4, 'unjudged', { share: share(0, 0) }),
      runOn(5, 'b', { share: share(2, 4) }),
      runOn(6, 'later', { share: share(3, 4) }),
    ];
    const group = groupRuns(runs).find((candidate) => candidate.runs.some(({ id }) => id === 'b'));
    const run = group?.runs.find(({ id }) => id === 'b');
    assert.ok(group && run);
    assert.deepEqual(historyOf(run, group), [0.25, 0.5]);
  });

  it('have a history of twelve runs at most', () => {
    const runs = Array.from({ length: 20 }, (_, index) => runOn(index + 1, `r${index}`, { share: share(index, 20) }));
    const [group] = groupRuns(runs);
    assert.ok(group?.runs[0]);
    const history = historyOf(group.runs[0], group);
    assert.equal(history.length, 12);
    assert.equal(history.at(-1), 19 / 20);
  });
});

describe('what a run can be compared with', () => {
  it('is every other run over the same dataset that has finished an item, newest first', () => {
    const other = { ...config, dataset: { ...config.dataset, hash: 'f'.repeat(64) } };
    const run = runOn(2, 'run');
    const found = comparableWith(run, [
      run,
      runOn(1, 'older'),
      runOn(3, 'newer', { config: { ...config, split } }),
      runOn(4, 'empty', { done: 0 }),
      runOn(5, 'other', { config: other }),
    ]);
    assert.deepEqual(
      found.map(({ id }) => id),
      ['newer', 'older'],
    );
  });
});

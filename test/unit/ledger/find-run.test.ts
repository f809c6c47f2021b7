import assert from 'node:assert/strict';
import { findRun } from '../../../src/core/ledger/find-run.ts';
import { AppError } from '../../../src/protocol/errors.ts';

const IDS = [
  '20261129-220000-coder-dev_shared-0a1b',
  '20261129-213005-small-dev_shared-4f2a',
  '20261129-213005-small-dev-4f2a-again',
  '20261128-090000-small-train-77aa',
];
const find = (asked: string) => findRun(asked, IDS, '/results/ledger.jsonl');

function refusal(asked: string, ids = IDS): AppError {
  try {
    findRun(asked, ids, '/results/ledger.jsonl');
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  return assert.fail(`"${asked}" was found`);
}

describe('the word for a run', () => {
  it('may be an id, even where another begins with it', () => {
    assert.equal(findRun('a', ['a-longer', 'a'], 'x'), 'a');
  });

  it('may be a beginning or a part that no other has', () => {
    assert.equal(find('20261128'), IDS[3]);
    assert.equal(find('coder'), IDS[0]);
    assert.equal(find('77aa'), IDS[3]);
  });

  it('is taken for a beginning before it is taken for a part', () => {
    assert.equal(findRun('2026', ['x-2026', '2026-y'], 'x'), '2026-y');
  });

  it('counts back from the newest with latest and latest~N', () => {
    assert.equal(find('latest'), IDS[0]);
    assert.equal(find('latest~0'), IDS[0]);
    assert.equal(find('latest~3'), IDS[3]);
    const { code, message } = refusal('latest~4');
    assert.equal(code, 'run_unknown');
    assert.match(message, /it has 4 runs, so "latest~3" is the oldest/);
  });

  it('is refused where it names several, which are told', () => {
    const { code, message, data } = refusal('4f2a');
    assert.equal(code, 'run_ambiguous');
    assert.match(message, /^"4f2a" names 2 runs: 20261129-213005-small-dev_shared-4f2a, .* Write more of the id\.$/);
    assert.equal(data['count'], 2);
    assert.match(
      refusal(
        'run',
        Array.from({ length: 9 }, (_, n) => `run-${n}`),
      ).message,
      /run-4 and 4 more\./,
    );
  });

  it('is refused where it names none, with what may have been meant, the nearest first', () => {
    const { code, message, data } = refusal('20261129-213005-small-dev_shared-4f2b');
    assert.equal(code, 'run_unknown');
    assert.match(message, /Did you mean 20261129-213005-small-dev_shared-4f2a or/);
    assert.deepEqual(data['near'], [IDS[1], IDS[2], IDS[0], IDS[3]]);
    assert.doesNotMatch(refusal('zzz').message, /Did you mean/);
    assert.equal(refusal('').code, 'run_unknown');
  });

  it('is refused where there are no runs', () => {
    assert.equal(refusal('latest', []).code, 'ledger_no_runs');
  });
});

import assert from 'node:assert/strict';
import { configDifferences } from '../../../src/core/evals/config-differences.ts';
import { isErrorShown } from '../../../src/core/evals/error-shown.ts';
import { settingsOf } from '../../../src/core/evals/report/settings.ts';
import { flatRun } from '../../../src/core/ledger/flat-run.ts';
import type { EvalLine, RunConfig } from '../../../src/protocol/ledger.ts';
import { evalLine } from '../ledger/support/entry.ts';

/** A line of a run that was asked in a way of its own. */
function asked(decoding: Partial<RunConfig['decoding']>, protocol: RunConfig['protocol'] = 'one_shot'): EvalLine {
  const line = evalLine('run');
  const { repair: _, ...plain } = line.config.decoding;
  const config = { ...line.config, protocol, decoding: { ...plain, samples: 1, retries: 3, ...decoding } };
  return { ...line, config };
}

describe('the error that a model is shown', () => {
  const repair = true;

  it('is shown where there is a first retry, and nowhere else', () => {
    assert.equal(isErrorShown(asked({ repair }).config), true);
    for (const line of [
      asked({}),
      asked({ repair: false }),
      asked({ repair, retries: 0 }),
      asked({ repair, samples: 3 }),
      asked({ repair }, 'turns'),
    ])
      assert.equal(isErrorShown(line.config), false, JSON.stringify(line.config.decoding));
  });

  it('stands in reports and exports, and sets runs apart, only where it was shown', () => {
    const told = (line: EvalLine) => [
      settingsOf(line).find(({ name }) => name === 'error shown for repair')?.value,
      flatRun(line)['repair'],
    ];
    assert.deepEqual(told(asked({ repair })), ['yes', 1]);
    assert.deepEqual(told(asked({ repair, retries: 0 })), [null, 0]);
    const differences = (a: EvalLine, b: EvalLine) => configDifferences(a.config, b.config);
    assert.deepEqual(differences(asked({}), asked({ repair })), ['decoding.repair was false and is true']);
    assert.deepEqual(differences(asked({ retries: 0 }), asked({ repair, retries: 0 })), []);
  });
});

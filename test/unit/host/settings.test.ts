import assert from 'node:assert/strict';
import { parseSetting } from '../../../src/host/settings.ts';

describe('parseSetting', () => {
  it('takes what the setting may be', () => {
    assert.deepEqual(parseSetting('ask.samples', 8), { value: 8, problem: null });
    assert.deepEqual(parseSetting('ask.link', 'linked'), { value: 'linked', problem: null });
  });

  it('falls back for everything else and names the setting and the value', () => {
    for (const value of [0, 33, 1.5, '8', null, undefined]) {
      const { value: used, problem } = parseSetting('ask.samples', value);
      assert.equal(used, 1);
      assert.match(problem ?? '', /"sqlAgent\.ask\.samples" cannot be/);
    }
    // The tables of the correct query are known in evaluations alone.
    assert.equal(parseSetting('ask.link', 'oracle').value, 'auto');
  });
});

import assert from 'node:assert/strict';
import { settingsWords } from '../../../../src/host/runs/settings-words.ts';
import { config } from './support.ts';

describe('the words by which a run goes on', () => {
  it('say every setting that its numbers depend on', () => {
    assert.equal(
      settingsWords(config).join(' '),
      '--link auto --samples 1 --retries 3 --turns 4 --no-repair --timeout-ms 30000 --metric official_ex --order-policy gold_order_by',
    );
  });

  it('say what was switched on', () => {
    const score = { ...config.score, keepDistinct: true, suite: true, fragile: true };
    const words = settingsWords({ ...config, score: { ...score, metrics: [...score.metrics, 'r_ves'] } });
    assert.deepEqual(words.slice(-4), ['--keep-distinct', '--suite', '--fragile', '--r-ves']);
    const asked = (retries: number) => ({ ...config, decoding: { ...config.decoding, retries, repair: true } });
    assert.ok(settingsWords(asked(3)).includes('--repair'));
    assert.ok(settingsWords(asked(0)).includes('--no-repair'));
  });
});

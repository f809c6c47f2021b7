import assert from 'node:assert/strict';
import { agoInWords, bytesInWords, countInWords, spanInWords } from '../../../webview-ui/shared/format.ts';

describe('numbers for people', () => {
  it('counts with a plural and thousands separators', () => {
    assert.deepEqual(
      [0, 1, 3503].map((n) => countInWords(n, 'row')),
      ['0 rows', '1 row', '3,503 rows'],
    );
  });

  it('writes sizes with the unit that fits', () => {
    const sizes = [0, 1023, 1024, 10_188, 1_007_616, 1024 ** 2 - 1, 5 * 1024 ** 3];
    assert.deepEqual(sizes.map(bytesInWords), ['0 B', '1023 B', '1.0 KB', '9.9 KB', '984 KB', '1.0 MB', '5.0 GB']);
  });

  it('writes times with the unit that fits', () => {
    const spans = [0.4, 12.4, 999.7, 3449, 59_940, 59_960, 125_000];
    assert.deepEqual(spans.map(spanInWords), ['under 1 ms', '12 ms', '1.0 s', '3.4 s', '59.9 s', '1 min', '2 min 5 s']);
  });

  it('says how long ago something was, then when', () => {
    const now = Date.UTC(2026, 4, 3, 12);
    const times = [30_000, 5 * 60_000, 3 * 3_600_000, 3 * 86_400_000].map((ago) => agoInWords(now - ago, now));
    assert.deepEqual(times, ['just now', '5 min ago', '3 h ago', '2026-04-30']);
  });
});

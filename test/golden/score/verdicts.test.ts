import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePairs } from '../../../src/core/evals/pairs.ts';
import type { Verdict } from '../../../src/protocol/score.ts';
import { scoreAll } from '../../../src/runtime/score/score-all.ts';
import { ScorerBench, withoutTimes } from '../../unit/scorer/support.ts';

const SCHEMA = `CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT, artist_id INTEGER REFERENCES artist(id), year INTEGER, price REAL);
CREATE TABLE sold (album_id INTEGER REFERENCES album(id), copies INTEGER, note TEXT);
INSERT INTO artist VALUES (1, 'Ann Peebles'), (2, 'Bo Diddley'), (3, 'Can');
INSERT INTO album VALUES (1, 'Part Time Love', 1, 1970, 9.5), (2, 'Tago Mago', 3, 1971, 12), (3, 'Ege Bamyasi', 3, 1972, NULL);
INSERT INTO sold VALUES (1, 900, NULL), (2, 9007199254740993, CAST(x'e96465' AS TEXT));`;

describe('golden verdicts', function () {
  this.timeout(60_000);

  it('are given to pairs that differ in one respect each', async () => {
    const folder = import.meta.dirname;
    const text = readFileSync(join(folder, 'pairs.jsonl'), 'utf8');
    const { pairs } = parsePairs({ name: 'pairs.jsonl', text }, null);
    const bench = new ScorerBench();
    try {
      const db = bench.database('music.sqlite', SCHEMA);
      const verdicts: Verdict[] = [];
      const onVerdict = (verdict: Verdict) => void verdicts.push(verdict);
      const placed = pairs.map((pair) => ({ ...pair, databases: [db] }));
      await scoreAll(bench.scorer(), placed, { concurrency: 4, onVerdict });
      const lines = `${verdicts.map((verdict) => JSON.stringify(withoutTimes(verdict))).join('\n')}\n`;
      const path = join(folder, 'verdicts.jsonl');
      if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(path, lines);
      assert.deepEqual(lines.split('\n'), readFileSync(path, 'utf8').split('\n'));
    } finally {
      await bench.close();
    }
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from '../../../src/protocol/score.ts';
import { scoreAll } from '../../../src/runtime/score/score-all.ts';
import type { ScorePair } from '../../../src/runtime/score/scorer.ts';
import { needShared } from '../../support/shared.ts';
import { ScorerBench } from './support.ts';

interface Labelled {
  db_id: string;
  gold: string;
  pred: string;
  correct: boolean;
}

describe('spider_ex on published predictions', function () {
  this.timeout(300_000);

  it('agrees with the published verdict on all of 6,773 predictions of 13 runs', async function () {
    const path = needShared(this, 'data/spider/labelled_predictions.jsonl');
    const databases = needShared(this, 'data/spider/database');
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const labelled = lines.map((line): Labelled => JSON.parse(line));
    const pairs = labelled.map(
      ({ db_id, gold, pred }, index): ScorePair => ({
        id: String(index),
        db_id,
        gold,
        pred,
        databases: [join(databases, db_id, `${db_id}.sqlite`)],
      }),
    );
    const bench = new ScorerBench();
    try {
      const verdicts: Verdict[] = [];
      const onVerdict = (verdict: Verdict) => void verdicts.push(verdict);
      await scoreAll(bench.scorer({ metrics: ['spider_ex'] }), pairs, { concurrency: 8, onVerdict });
      const wrong = verdicts.filter(({ spider_ex }, index) => spider_ex !== labelled[index]?.correct);
      assert.deepEqual(
        wrong.map(({ id }) => labelled[Number(id)]),
        [],
      );
      assert.equal(verdicts.length, 6773);
    } finally {
      await bench.close();
    }
  });
});

import assert from 'node:assert/strict';
import { readBird, VALIDATION } from '../../../bench/linking-data.ts';
import { IndexCache } from '../../../src/core/link/catalog-index.ts';
import { linkSchema, type PresetName } from '../../../src/core/link/link.ts';
import { needShared } from '../../support/shared.ts';

describe('linking on the tuning databases of BIRD train over 12 tables', () => {
  /** Share of questions with every needed table kept, and mean kept. */
  function measure(preset: PresetName): { share: number; kept: number } {
    const { catalogs, items } = readBird();
    const indexes = new IndexCache();
    let complete = 0;
    let kept = 0;
    let count = 0;
    for (const { db, question, evidence, needed } of items) {
      const catalog = catalogs.get(db);
      if (VALIDATION.has(db) || !catalog || catalog.tables.length <= 12) continue;
      const rest = { scan: null, mode: 'linked', goldTables: null, fullTokens: 0, preset, indexes } as const;
      const linked = linkSchema({ catalog, question, evidence, ...rest });
      count += 1;
      kept += linked.kept.length;
      complete += needed.every((name) => linked.kept.includes(name)) ? 1 : 0;
    }
    return { share: complete / count, kept: kept / count };
  }

  it('keeps all needed tables of 99.5 % of the questions in 16 tables, and of 98.5 % in 12.5', function () {
    this.timeout(60_000);
    needShared(this, 'data/bird/train.json');
    const recall = measure('recall');
    assert.ok(recall.share >= 0.995 && recall.kept <= 16, JSON.stringify(recall));
    const tight = measure('tight');
    assert.ok(tight.share >= 0.985 && tight.kept <= 12.5, JSON.stringify(tight));
  });
});

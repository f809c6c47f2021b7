import assert from 'node:assert/strict';
import { hasUnreadableText, officialEx } from '../../../src/core/score/official-ex.ts';
import { softF1 } from '../../../src/core/score/soft-f1.ts';
import { spiderEx } from '../../../src/core/score/spider-ex.ts';
import type { QueryResult } from '../../../src/protocol/query.ts';
import { Connection } from '../../../src/runtime/sandbox/child-database.ts';
import { runStatement } from '../../../src/runtime/sandbox/child-run.ts';
import { SandboxPool } from '../../../src/runtime/sandbox/pool.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { fixtureLines } from './support.ts';

const CAPS = { maxRows: 1_000, maxBytes: 1 << 20, maxCellBytes: 1 << 16 };

type OfficialLine = [gold: string, pred: string, verdict: 0 | 1 | 'raises'];
type MetricLine = [gold: string, pred: string, equal: 0 | 1, inOrder: 0 | 1, f1: number | null];

describe('the metrics beside Python', () => {
  let folder: TemporaryFolder;
  let db: string;

  before(() => {
    folder = temporaryFolder();
    db = folder.database('empty.sqlite', 'CREATE TABLE t(a)');
  });
  after(() => folder.remove());

  /** Runs queries in this process, by the code of the sandbox's children. */
  function withQueries(use: (rowsOf: (sql: string) => QueryResult['rows']) => void): void {
    const connection = new Connection(db, 'immutable', 0);
    try {
      use((sql) => {
        const { status, message, rows } = runStatement(connection, sql, CAPS);
        assert.equal(status, 'ok', `${sql}: ${message}`);
        return rows;
      });
    } finally {
      connection.close();
    }
  }

  function officialOf(gold: QueryResult['rows'], pred: QueryResult['rows']): OfficialLine[2] {
    if (hasUnreadableText(gold) || hasUnreadableText(pred)) return 'raises';
    return officialEx(gold, pred) ? 1 : 0;
  }

  it('official_ex says what Python says of all 20,000 pairs of results', () => {
    const lines = fixtureLines<OfficialLine>('official_pairs.jsonl.gz');
    assert.equal(lines.length, 20_000);
    withQueries((rowsOf) => {
      const wrong = lines.filter(([gold, pred, verdict]) => officialOf(rowsOf(gold), rowsOf(pred)) !== verdict);
      assert.deepEqual(wrong, []);
    });
  });

  it('a sample of the pairs, run by children of the sandbox, is judged the same', async () => {
    const lines = fixtureLines<OfficialLine>('official_pairs.jsonl.gz').filter((_, index) => index % 10 === 0);
    const pool = new SandboxPool();
    try {
      const judged = await Promise.all(
        lines.map(async ([gold, pred]) => {
          const [expected, found] = await Promise.all([pool.query({ db, sql: gold }), pool.query({ db, sql: pred })]);
          return officialOf(expected.rows, found.rows);
        }),
      );
      assert.deepEqual(
        judged,
        lines.map(([, , verdict]) => verdict),
      );
    } finally {
      await pool.dispose();
    }
  });

  it('spider_ex finds the orders of columns that trying all of them finds', () => {
    const lines = fixtureLines<MetricLine>('metric_pairs.jsonl.gz');
    withQueries((rowsOf) => {
      const wrong = lines.filter(([gold, pred, equal, inOrder]) => {
        const [expected, found] = [rowsOf(gold), rowsOf(pred)];
        return (
          Number(spiderEx(expected, found, false)) !== equal || Number(spiderEx(expected, found, true)) !== inOrder
        );
      });
      assert.deepEqual(wrong, []);
    });
  });

  it('soft_f1 is what the formula gives in Python', () => {
    const lines = fixtureLines<MetricLine>('metric_pairs.jsonl.gz');
    withQueries((rowsOf) => {
      for (const [gold, pred, , , f1] of lines) {
        const [expected, found] = [rowsOf(gold), rowsOf(pred)];
        const value = hasUnreadableText(expected) || hasUnreadableText(found) ? null : softF1(expected, found);
        if (f1 === null || value === null) assert.equal(value, f1, `${gold} | ${pred}`);
        else assert.ok(Math.abs(value - f1) < 1e-12, `${gold} | ${pred}: ${value} instead of ${f1}`);
      }
    });
  });
});

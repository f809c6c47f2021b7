import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { QueryResult } from '../../../src/protocol/query.ts';
import type { Cell } from '../../../src/protocol/value.ts';
import { needShared } from '../../support/shared.ts';
import { GENERATED_SCHEMA, SelectGenerator } from './generator.ts';
import { Bench } from './support.ts';

const UNLIMITED = { maxRows: Infinity, maxBytes: Infinity, maxCellBytes: Infinity };

interface Expected {
  columns: string[];
  rows: Cell[][];
}

/** What node:sqlite in this process answers: rows, or its error message. */
function inProcess(database: DatabaseSync, sql: string): Expected | string {
  try {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    const columns = statement.columns().map(({ name }) => name);
    const rows = statement.all() as unknown as Cell[][];
    return { columns, rows: rows.map((row) => row.map(exact)) };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function exact(cell: Cell): Cell {
  return typeof cell === 'bigint' && Number.isSafeInteger(Number(cell)) ? Number(cell) : cell;
}

/** The sandbox flags invalid text, which node:sqlite does not tell. */
function unflagged(cell: Cell): Cell {
  return typeof cell === 'object' && cell !== null && 'invalid' in cell ? cell.text : cell;
}

function assertSame(result: QueryResult, expected: Expected | string, sql: string): void {
  if (typeof expected === 'string') {
    assert.equal(result.status, 'error', sql);
    assert.ok(result.message?.startsWith(expected), `${sql}\n${result.message}\n${expected}`);
    return;
  }
  assert.equal(result.status, 'ok', `${sql}\n${result.message}`);
  assert.equal(result.truncated, false, sql);
  assert.deepEqual(result.columns, expected.columns, sql);
  assert.deepEqual(
    result.rows.map((row) => row.map(unflagged)),
    expected.rows,
    sql,
  );
}

describe('rows of the sandbox', function () {
  this.timeout(300_000);
  let bench: Bench;
  before(() => {
    bench = new Bench({ children: 2, spares: 0 });
  });
  after(() => bench.close());

  it('are those of node:sqlite in process, for 5,000 generated SELECTs', async () => {
    const db = bench.database('generated.sqlite', GENERATED_SCHEMA);
    const database = new DatabaseSync(db, { readOnly: true, enableDoubleQuotedStringLiterals: true });
    const generator = new SelectGenerator(20_240_229);
    const seen = new Set<string>();
    let answered = 0;
    while (seen.size < 5_000) {
      const batch: string[] = [];
      while (batch.length < 50) {
        const sql = generator.next();
        if (!seen.has(sql)) batch.push(sql);
        seen.add(sql);
      }
      const results = await Promise.all(batch.map((sql) => bench.query(db, sql, UNLIMITED)));
      for (const [index, sql] of batch.entries()) {
        const expected = inProcess(database, sql);
        const result = results[index];
        assert.ok(result);
        assertSame(result, expected, sql);
        if (typeof expected !== 'string' && expected.rows.length > 0) answered++;
      }
    }
    database.close();
    assert.ok(answered > 3_000, `only ${answered} of the generated queries have rows`);
  });

  it('are those of node:sqlite in process, for all gold queries of Spider that run', async function () {
    const spider = needShared(this, 'data/spider');
    const items = ['train.json', 'dev_shared.json'].flatMap((file): { db_id: string; query: string }[] =>
      JSON.parse(readFileSync(join(spider, file), 'utf8')),
    );
    const byDatabase = new Map<string, string[]>();
    for (const { db_id, query } of items) {
      const db = join(spider, 'database', db_id, `${db_id}.sqlite`);
      byDatabase.set(db, [...(byDatabase.get(db) ?? []), query]);
    }
    let answered = 0;
    for (const [db, golds] of byDatabase) {
      if (!existsSync(db)) continue;
      const queries = [...new Set(golds)];
      const results = await Promise.all(queries.map((sql) => bench.query(db, sql, UNLIMITED)));
      const database = new DatabaseSync(db, { readOnly: true, enableDoubleQuotedStringLiterals: true });
      for (const [index, sql] of queries.entries()) {
        const expected = inProcess(database, sql);
        const result = results[index];
        assert.ok(result);
        assertSame(result, expected, sql);
        if (typeof expected !== 'string') answered++;
      }
      database.close();
    }
    assert.ok(answered > 4_000, `only ${answered} gold queries ran`);
  });
});

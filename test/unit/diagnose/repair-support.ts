import assert from 'node:assert/strict';
import { editsOf, type Move, replay } from '../../../src/core/diagnose/repair/change.ts';
import { placesOf, type RepairContext } from '../../../src/core/diagnose/repair/context.ts';
import { goldWords, NO_WORDS } from '../../../src/core/diagnose/repair/gold-words.ts';
import { Source } from '../../../src/core/sql/ast/source.ts';
import { resolveQuery } from '../../../src/core/sql/scope/resolve.ts';
import type { Repair, SearchEffort } from '../../../src/protocol/diagnosis.ts';
import type { QueryResult } from '../../../src/protocol/query.ts';
import type { Cell } from '../../../src/protocol/value.ts';
import { Repairer } from '../../../src/runtime/diagnose/repair.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { parsed, TraceBench } from './trace-support.ts';

/** Singers of bands that gave concerts: two foreign keys, a text and a number in each table. */
export const MUSIC = `
CREATE TABLE band (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
INSERT INTO band VALUES (1, 'Iron', 'France'), (2, 'Silk', 'Spain'), (3, 'Wool', 'spain '), (4, 'Felt', 'Italy');
CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, salary REAL, band_id INTEGER REFERENCES band (id));
INSERT INTO singer VALUES (1, 'Ann', 30, 10.5, 1), (2, 'Bob', 20, 20, 1), (3, 'Cy', 30, 5, 2), (4, 'Dee', 41, 7, 3),
  (5, 'Eve', 55, 30, NULL), (6, 'Ann', 19, 12, 2);
CREATE TABLE concert (id INTEGER PRIMARY KEY, year INTEGER, place TEXT, singer_id INTEGER REFERENCES singer (id));
INSERT INTO concert VALUES (1, 2014, 'Rome', 1), (2, 2014, 'Oslo', 1), (3, 2015, 'Rome', 2), (4, 2016, 'Bonn', 3),
  (5, 2016, 'Rome', 4);`;

/** A database of its own with all that repairs are looked for with. */
export class RepairBench {
  readonly #folder = temporaryFolder();
  readonly bench: TraceBench;
  readonly #repairer: Repairer;

  /** @param db a database of others instead of one made of `MUSIC` */
  constructor(db?: string) {
    this.bench = new TraceBench(db ?? this.#folder.database('music.sqlite', MUSIC));
    this.#repairer = new Repairer(this.bench.pool, this.#folder.path);
  }

  run(sql: string): Promise<QueryResult> {
    return this.bench.pool.query({ db: this.bench.db, sql });
  }

  async context(pred: string, gold: string | null, values: Record<string, Cell[]> = {}): Promise<RepairContext> {
    const catalog = await this.bench.catalog();
    const query = parsed(pred);
    const names = resolveQuery(query, pred, catalog);
    const tree = gold === null ? null : parsed(gold);
    return {
      sql: pred,
      text: new Source(pred),
      query,
      names,
      catalog,
      places: placesOf(query, names),
      gold: tree === null || gold === null ? NO_WORDS : goldWords(tree, resolveQuery(tree, gold, catalog)),
      valuesOf: (table, column) => values[`${table}.${column}`] ?? null,
      goldRows: gold === null ? 3 : (await this.run(gold)).rows.length,
    };
  }

  /** The statements that the moves of a generator make of a prediction. */
  async made(
    generate: (context: RepairContext) => Move[],
    pred: string,
    gold: string | null = null,
    values: Record<string, Cell[]> = {},
  ): Promise<string[]> {
    const moves = generate(await this.context(pred, gold, values));
    return moves.map(({ changes }) => replay(pred, editsOf(pred, changes)));
  }

  async repair(pred: string, gold: string): Promise<{ repair: Repair | null; effort: SearchEffort }> {
    const [goldResult, predResult] = [await this.run(gold), await this.run(pred)];
    assert.equal(goldResult.status, 'ok', goldResult.message ?? '');
    assert.equal(predResult.status, 'ok', predResult.message ?? '');
    const pair = { db: this.bench.db, catalog: await this.bench.catalog(), gold, pred, goldResult, predResult };
    return this.#repairer.repair(pair, { queries: 400, ms: 60_000 });
  }

  async dispose(): Promise<void> {
    this.#repairer.dispose();
    await this.bench.dispose();
    this.#folder.remove();
  }
}

/** Asserts that a list holds some texts. */
export function includes(list: readonly string[], ...wanted: string[]): void {
  for (const one of wanted) assert.ok(list.includes(one), `${one}\nis not among\n${list.join('\n')}`);
}

export function excludes(list: readonly string[], ...unwanted: string[]): void {
  for (const one of unwanted) assert.ok(!list.includes(one), `${one}\nis among them`);
}

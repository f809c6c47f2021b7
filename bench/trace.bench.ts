// Traces of Spider's golds and of published wrong predictions: whether each clause becomes a stage, whether the last stage
// gives the query's own rows, and the time. What clauses there are is counted by a walk over the parser's own tree.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AstNode, parse, traverse } from 'sqlite3-parser';
import { planTrace } from '../src/core/diagnose/trace/plan-query.ts';
import { runTrace } from '../src/core/diagnose/trace/run.ts';
import { exactKey } from '../src/core/score/cell-key.ts';
import { parseQuery } from '../src/core/sql/ast/parse-query.ts';
import type { Trace } from '../src/protocol/diagnose.ts';
import type { QueryResult } from '../src/protocol/query.ts';
import { CatalogCache } from '../src/runtime/catalog.ts';
import { SandboxPool } from '../src/runtime/sandbox/pool.ts';
import { databases, shared } from './ex/answers.ts';
import type { Benchmark, Measurement } from './measurement.ts';

interface Statement {
  db_id: string;
  sql: string;
}

type Tally = Record<string, number>;

const COUNTED = ['FROM', 'WHERE', 'GROUP BY', 'HAVING', 'DISTINCT', 'SET OPERATION', 'ORDER BY', 'LIMIT'];

/** The clauses of a statement by the parser's own tree: FROM stands for FROM items, joined ones included. */
function clausesOf(sql: string): Tally {
  const tally: Tally = Object.fromEntries(COUNTED.map((clause) => [clause, 0]));
  const add = (clause: string, count: number) => {
    tally[clause] = (tally[clause] ?? 0) + count;
  };
  const result = parse(sql);
  if (result.status !== 'ok') return tally;
  traverse(result.root, {
    enter(node: AstNode) {
      if (node.type === 'FromClause') add('FROM', (node.select ? 1 : 0) + (node.joins?.length ?? 0));
      if (node.type === 'CompoundSelect') add('SET OPERATION', 1);
      if (node.type === 'Select') {
        add('ORDER BY', node.orderBy ? 1 : 0);
        add('LIMIT', node.limit ? 1 : 0);
      }
      if (node.type !== 'SelectFrom') return;
      add('WHERE', node.whereClause ? 1 : 0);
      add('GROUP BY', node.groupBy ? 1 : 0);
      add('HAVING', node.having ? 1 : 0);
      add('DISTINCT', node.distinctness === 'Distinct' ? 1 : 0);
    },
  });
  return tally;
}

/** The clauses that a trace shows, those of views left out. */
function stagesOf(trace: Trace): Tally {
  const tally: Tally = Object.fromEntries(COUNTED.map((clause) => [clause, 0]));
  const visit = ({ stages, source }: Trace) => {
    if (source.kind === 'view') return;
    for (const { clause, nested } of stages) {
      const name = clause === 'JOIN' ? 'FROM' : clause;
      if (name in tally) tally[name] = (tally[name] ?? 0) + 1;
      nested?.forEach(visit);
    }
  };
  visit(trace);
  return tally;
}

function sameRows(a: QueryResult, b: QueryResult, ordered: boolean): boolean {
  const keys = ({ rows }: QueryResult) => rows.map((row) => row.map(exactKey).join('\u0000'));
  const [left, right] = ordered ? [keys(a), keys(b)] : [keys(a).toSorted(), keys(b).toSorted()];
  return left.length === right.length && left.every((key, index) => key === right[index]);
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;
}

async function measure(name: string, statements: readonly Statement[]): Promise<Measurement[]> {
  const sandbox = new SandboxPool({ children: 1 });
  const catalogs = new CatalogCache();
  const times: number[] = [];
  let run = 0;
  let complete = 0;
  let equal = 0;
  try {
    for (const { db_id, sql } of statements) {
      const db = join(databases, db_id, `${db_id}.sqlite`);
      if (!existsSync(db)) continue;
      const own = await sandbox.query({ db, sql, maxRows: 1_000_000, maxBytes: 2 ** 28 });
      if (own.status !== 'ok') continue;
      run += 1;
      const catalog = await catalogs.read(sandbox, db);
      const started = performance.now();
      const { query } = parseQuery(sql);
      const trace = query === null ? null : await runTrace(sandbox, db, planTrace(query, sql, catalog));
      times.push(performance.now() - started);
      const isWhole = trace?.complete === true && JSON.stringify(stagesOf(trace)) === JSON.stringify(clausesOf(sql));
      if (!isWhole || trace === null) {
        tell('not complete', db_id, sql, trace?.why ?? null);
        continue;
      }
      complete += 1;
      const last = trace.stages.at(-1);
      const rows = await sandbox.query({ db, sql: last?.sql ?? '', maxRows: 1_000_000, maxBytes: 2 ** 28 });
      const isEqual = sameRows(own, rows, query?.orderBy !== null) && last?.rowCount === own.rows.length;
      if (isEqual) equal += 1;
      else tell('other rows', db_id, sql, `${own.rows.length} ${rows.message ?? rows.rows.length} ${last?.rowCount}`);
    }
  } finally {
    await sandbox.dispose();
  }
  return [
    { what: `${name} that run`, value: run, unit: 'queries' },
    { what: `${name}, every clause a stage`, value: (complete / run) * 100, unit: '%', reach: '>= 99 %' },
    {
      what: `${name}, of those, last stage gives the query's rows`,
      value: (equal / complete) * 100,
      unit: '%',
      reach: '100 %',
    },
    { what: `${name}, time of a trace, median`, value: quantile(times, 0.5), unit: 'ms' },
    { what: `${name}, time of a trace, p95`, value: quantile(times, 0.95), unit: 'ms' },
  ];
}

function tell(what: string, db_id: string, sql: string, why: string | null): void {
  console.error(`  ${what}: ${db_id}: ${sql}${why === null ? '' : ` (${why})`}`);
}

export const benchmark: Benchmark = {
  title: 'traces of Spider train golds and of wrong predictions',
  async run() {
    const folder = join(shared, 'data/spider');
    if (!existsSync(folder))
      throw new Error('../shared/data/spider is absent: this benchmark needs it beside the checkout.');
    const every = Number(process.env['TRACE_EVERY'] ?? 1);
    const train: { db_id: string; query: string }[] = JSON.parse(readFileSync(join(folder, 'train.json'), 'utf8'));
    const lines = readFileSync(join(folder, 'labelled_predictions.jsonl'), 'utf8').split('\n').filter(Boolean);
    const labelled: { db_id: string; pred: string; correct: boolean }[] = lines.map((line) => JSON.parse(line));
    const golds = train.map(({ db_id, query }) => ({ db_id, sql: query }));
    const wrong = labelled.filter(({ correct }) => !correct).map(({ db_id, pred }) => ({ db_id, sql: pred }));
    const some = (list: Statement[]) => list.filter((_, index) => index % every === 0);
    return [
      ...(await measure('Spider train golds', some(golds))),
      ...(await measure('wrong predictions', some(wrong))),
    ];
  },
};

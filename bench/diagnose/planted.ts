import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOrdered } from '../../src/core/score/order.ts';
import { Random } from '../../src/core/score/statistics/random.ts';
import { compareStrictly } from '../../src/core/score/strict-ex.ts';
import { parseQuery } from '../../src/core/sql/ast/parse-query.ts';
import { resolveQuery } from '../../src/core/sql/scope/resolve.ts';
import type { Catalog } from '../../src/protocol/catalog.ts';
import type { ErrorClass } from '../../src/protocol/diagnosis.ts';
import type { QueryResult } from '../../src/protocol/query.ts';
import { readCatalog } from '../../src/runtime/catalog.ts';
import type { SandboxPool } from '../../src/runtime/sandbox/pool.ts';
import { type Mutation, type MutationKind, mutationsOf } from './mutations.ts';

/** A right query beside the same with one known mistake; both run and their rows differ under `strict_ex`. */
export interface Planted {
  db: string;
  catalog: Catalog;
  gold: string;
  pred: string;
  kind: MutationKind;
  expected: ErrorClass;
  goldResult: QueryResult;
  predResult: QueryResult;
}

interface Gold {
  db_id: string;
  query: string;
}

const MOST_ROWS = 100_000;
/** Statements longer than this say more about the database than about the search. */
const TIMEOUT_MS = 5_000;

/** The databases of the shared copy of Spider, their catalogs read once. */
export class SpiderDatabases {
  readonly #sandbox: SandboxPool;
  readonly #root: string;
  readonly #catalogs = new Map<string, Catalog>();

  constructor(sandbox: SandboxPool, sharedFolder: string) {
    this.#sandbox = sandbox;
    this.#root = join(sharedFolder, 'data/spider/database');
  }

  path(name: string): string {
    return join(this.#root, name, `${name}.sqlite`);
  }

  async catalog(name: string): Promise<Catalog> {
    const known = this.#catalogs.get(name) ?? (await readCatalog(this.#sandbox, this.path(name)));
    this.#catalogs.set(name, known);
    return known;
  }

  run(name: string, sql: string): Promise<QueryResult> {
    return this.#sandbox.query({ db: this.path(name), sql, maxRows: MOST_ROWS, timeoutMs: TIMEOUT_MS });
  }

  async texts(name: string, table: string, column: string): Promise<string[]> {
    const sql = `SELECT DISTINCT "${column}" FROM "${table}" WHERE typeof("${column}") = 'text' LIMIT 200`;
    const { rows } = await this.run(name, sql);
    return rows.flatMap(([cell]) => (typeof cell === 'string' ? [cell] : []));
  }
}

/** Plants mistakes in Spider's training golds that run and return rows, every kind as often as the golds allow. */
export async function plantMutations(
  databases: SpiderDatabases,
  sharedFolder: string,
  count: number,
  seed: number,
): Promise<Planted[]> {
  const all: Gold[] = JSON.parse(readFileSync(join(sharedFolder, 'data/spider/train.json'), 'utf8'));
  const golds = all.filter(({ db_id }) => existsSync(databases.path(db_id)));
  const random = new Random(seed);
  const planted: Planted[] = [];
  const counts = new Map<MutationKind, number>();
  const used = new Set<number>();
  while (planted.length < count && used.size < golds.length) {
    const index = random.below(golds.length);
    const gold = golds[index];
    if (gold === undefined || used.has(index)) continue;
    used.add(index);
    const one = await plant(databases, gold, random, counts);
    if (one === null) continue;
    counts.set(one.kind, (counts.get(one.kind) ?? 0) + 1);
    planted.push(one);
  }
  return planted;
}

async function plant(
  databases: SpiderDatabases,
  { db_id, query: sql }: Gold,
  random: Random,
  counts: ReadonlyMap<MutationKind, number>,
): Promise<Planted | null> {
  const { query } = parseQuery(sql);
  const goldResult = await databases.run(db_id, sql);
  if (query === null || goldResult.status !== 'ok' || goldResult.rows.length === 0 || goldResult.truncated) return null;
  const catalog = await databases.catalog(db_id);
  const names = resolveQuery(query, sql, catalog);
  const textsOf = (table: string, column: string) => databases.texts(db_id, table, column);
  const mutations = await mutationsOf({ sql, query, names, random, textsOf });
  for (const { sql: pred, kind, expected } of rarestFirst(mutations, counts, random)) {
    const predResult = await databases.run(db_id, pred);
    if (predResult.status !== 'ok' || predResult.truncated) continue;
    if (compareStrictly(goldResult, predResult, isOrdered(sql, 'gold_order_by')) === null) continue;
    return { db: databases.path(db_id), catalog, gold: sql, pred, kind, expected, goldResult, predResult };
  }
  return null;
}

function rarestFirst(mutations: Mutation[], counts: ReadonlyMap<MutationKind, number>, random: Random): Mutation[] {
  return mutations
    .map((mutation) => ({ mutation, count: counts.get(mutation.kind) ?? 0, tie: random.uint32() }))
    .sort((one, other) => one.count - other.count || one.tie - other.tie)
    .map(({ mutation }) => mutation);
}

import { readdirSync, readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { catalogFromDdl } from '../src/core/schema/from-ddl.ts';
import { tablesOf } from '../src/core/sql/parse.ts';
import type { Catalog, Table } from '../src/protocol/catalog.ts';

/** The published validation split: never tuned on. */
export const VALIDATION: ReadonlySet<string> = new Set(['image_and_language', 'synthea', 'works_cycles']);

/** A question with the tables that its gold query reads, as the schema spells them. */
export interface LinkingItem {
  db: string;
  question: string;
  evidence: string;
  needed: string[];
}

export interface Bird {
  /** Schemas only, by database: BIRD's train databases themselves are not needed. */
  catalogs: Map<string, Catalog>;
  items: LinkingItem[];
  /** Questions left out, because their gold query does not parse or names a table that the schema lacks. */
  dropped: LinkingItem[];
}

const folder = new URL('../../shared/data/bird/', import.meta.url);
const Items = z.array(z.object({ db_id: z.string(), question: z.string(), evidence: z.string(), SQL: z.string() }));

/** BIRD train as it lies beside the checkout (`../shared/data/bird`). */
export function readBird(): Bird {
  const schemas = new URL('train_schemas/', folder);
  const catalogs = new Map(
    readdirSync(schemas).map((file) => [
      file.replace('.sql', ''),
      catalogFromDdl(readFileSync(new URL(file, schemas), 'utf8')),
    ]),
  );
  const items: LinkingItem[] = [];
  const dropped: LinkingItem[] = [];
  for (const { db_id, question, evidence, SQL } of Items.parse(
    JSON.parse(readFileSync(new URL('train.json', folder), 'utf8')),
  )) {
    const spelled = new Map(catalogs.get(db_id)?.tables.map(({ name }) => [name.toLowerCase(), name]));
    const named = tablesOf(SQL);
    const needed = named.map((name) => spelled.get(name.toLowerCase())).filter((name) => name !== undefined);
    const item = { db: db_id, question, evidence, needed };
    if (named.length === 0 || needed.length < named.length) dropped.push(item);
    else items.push(item);
  }
  return { catalogs, items, dropped };
}

/** The same databases with BIRD's column meanings, as a product user has them from description files or DDL comments. */
export function withMeanings(bird: Bird): Bird {
  const text = readFileSync(new URL('train_column_meaning.json', folder), 'utf8');
  const meanings = new Map(
    Object.entries(z.record(z.string(), z.string()).parse(JSON.parse(text))).map(([key, meaning]) => [
      key.toLowerCase(),
      meaning,
    ]),
  );
  const catalogs = [...bird.catalogs].map(([db, catalog]): [string, Catalog] => {
    const tables = catalog.tables.map((table) => ({
      ...table,
      columns: table.columns.map((column) => ({
        ...column,
        meaning: meanings.get(`${db}|${table.name}|${column.name}`.toLowerCase()) ?? null,
      })),
    }));
    return [db, { ...catalog, tables }];
  });
  return { ...bird, catalogs: new Map(catalogs) };
}

/** A schema with questions on it. */
export interface LinkingSet {
  catalog: Catalog;
  items: LinkingItem[];
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

const MERGED = 24;
const SMALLEST = 45;
const QUESTIONS = 12;
const LARGEST_PART = 22;

/** Schemas of 45 to 75 tables put together from tuning databases that share no table name, with 12 questions of each. */
export function mergedSets({ catalogs, items }: Bird): LinkingSet[] {
  const random = randomNumbers(12345);
  const parts = [...catalogs].filter(([db, { tables }]) => !VALIDATION.has(db) && tables.length <= LARGEST_PART);
  return Array.from({ length: MERGED }, () => {
    const size = SMALLEST + Math.floor(random() * 30);
    const tables: Table[] = [];
    const chosen: LinkingItem[] = [];
    const names = new Set<string>();
    for (const [db, catalog] of shuffled(parts, random)) {
      if (tables.length >= size) break;
      if (catalog.tables.some(({ name }) => names.has(name.toLowerCase()))) continue;
      for (const { name } of catalog.tables) names.add(name.toLowerCase());
      tables.push(...catalog.tables);
      const own = items.filter((item) => item.db === db);
      chosen.push(...shuffled(own, random).slice(0, QUESTIONS));
    }
    return { catalog: { tables, problems: [] }, items: chosen };
  });
}

import { IndexCache, indexCatalog } from '../src/core/link/catalog-index.ts';
import { linkSchema, type PresetName } from '../src/core/link/link.ts';
import { estimateTokens, renderLines1 } from '../src/core/schema/lines1.ts';
import type { Catalog, LinkMode, Table, ValueScan } from '../src/protocol/catalog.ts';
import { type Bird, type LinkingSet, mergedSets, readBird, VALIDATION, withMeanings } from './linking-data.ts';
import type { Benchmark, Measurement } from './measurement.ts';

const NO_VALUES: ValueScan = { columns: [], skipped: [] };

interface Way {
  mode: LinkMode;
  preset: PresetName;
  hop: boolean;
}

interface Totals {
  items: number;
  /** Items with every needed table kept. */
  complete: number;
  kept: number;
  neededKept: number;
  tokens: number;
}

function measure(sets: readonly LinkingSet[], way: Way): Totals {
  const totals = { items: 0, complete: 0, kept: 0, neededKept: 0, tokens: 0 };
  for (const { catalog, items } of sets) {
    const indexes = new IndexCache();
    const fullTokens = promptTokens(catalog, null, '', '');
    for (const { question, evidence, needed } of items) {
      const { kept } = linkSchema({
        catalog,
        scan: null,
        question,
        evidence,
        goldTables: null,
        fullTokens,
        indexes,
        ...way,
      });
      const found = needed.filter((name) => kept.includes(name)).length;
      totals.items += 1;
      totals.complete += found === needed.length ? 1 : 0;
      totals.kept += kept.length;
      totals.neededKept += found;
      totals.tokens += promptTokens(catalog, kept, question, evidence);
    }
  }
  return totals;
}

function promptTokens(catalog: Catalog, tables: string[] | null, question: string, evidence: string): number {
  const { system, user } = renderLines1({ catalog, scan: NO_VALUES, tables, question, evidence });
  return estimateTokens(`${system}\n${user}`);
}

const LINKED: Way = { mode: 'linked', preset: 'recall', hop: true };
/** Every measurement on every group of schemas. */
const WAYS: [string, Way][] = [
  ['auto', { ...LINKED, mode: 'auto' }],
  ['auto, tight', { ...LINKED, mode: 'auto', preset: 'tight' }],
  ['linked', LINKED],
  ['linked without hop', { ...LINKED, hop: false }],
  ['linked, tight', { ...LINKED, preset: 'tight' }],
  ['linked, tight without hop', { ...LINKED, preset: 'tight', hop: false }],
  ['full', { ...LINKED, mode: 'full' }],
];

/** The two presets as a product user gets them. */
const PRODUCT = WAYS.slice(0, 2);

const REACH: Record<string, { complete: string; kept: string }> = {
  'validation, auto': { complete: '>= 98.5 %', kept: '<= 18' },
  'validation, auto, tight': { complete: '>= 95.7 %', kept: '<= 12' },
};

function table(group: string, sets: readonly LinkingSet[], ways = WAYS): Measurement[] {
  return ways.flatMap(([name, way]) => {
    const { items, complete, kept, neededKept, tokens } = measure(sets, way);
    const what = `${group}, ${name}`;
    const reach = REACH[what];
    return [
      { what: `${what}: all needed tables kept (${complete} of ${items})`, value: (100 * complete) / items, unit: '%' },
      { what: `${what}: mean kept`, value: kept / items, unit: 'tables' },
      { what: `${what}: precision`, value: (100 * neededKept) / kept, unit: '%' },
      { what: `${what}: mean prompt`, value: tokens / items, unit: 'tokens (estimated)' },
    ].map((row, at) => (reach && at < 2 ? { ...row, reach: at === 0 ? reach.complete : reach.kept } : row));
  });
}

function setsOf({ catalogs, items }: Bird, isWanted: (db: string, catalog: Catalog) => boolean): LinkingSet[] {
  return [...catalogs]
    .filter(([db, catalog]) => isWanted(db, catalog))
    .map(([db, catalog]) => ({ catalog, items: items.filter((item) => item.db === db) }));
}

const WORDS =
  `account order customer product region price status amount vendor invoice stock budget session device employee
  city campaign payment review shipment contract asset ticket policy claim branch route sensor reading batch`.split(
    /\s+/,
  );

/** 1,000 tables of 20 columns, nearly all column names distinct, each table with one foreign key. */
function largeCatalog(): Catalog {
  const word = (at: number) => WORDS[at % WORDS.length] ?? '';
  const nameOf = (at: number) => `${word(at)}_${word(Math.floor(at / 30))}_${at}`;
  const tables = Array.from({ length: 1000 }, (_, at): Table => {
    const columns = Array.from({ length: 20 }, (_, column) => {
      const name =
        column === 0 ? 'id' : column === 1 ? 'parent' : `${word(at * 7 + column * 11)}_${word(at + column)}${at}`;
      const primaryKey = column === 0 ? 1 : 0;
      const rest = { defaultSql: null, generated: null, hidden: false, meaning: null, notNull: false };
      return { name, declared: 'TEXT', kind: 'text' as const, primaryKey, ...rest };
    });
    const toTable = nameOf((at * 31 + 7) % 1000);
    const foreignKeys = [{ id: 0, seq: 0, from: 'parent', toTable, toColumn: null, target: null, problem: null }];
    const rest = { indexes: [], withoutRowid: false, strict: false, sql: null, problem: null };
    return { name: nameOf(at), type: 'table', columns, foreignKeys, ...rest };
  });
  return { tables, problems: [] };
}

function medianMs(work: () => unknown): number {
  const times = Array.from({ length: 21 }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  }).sort((a, b) => a - b);
  return times[10] ?? 0;
}

function speed(): Measurement[] {
  const catalog = largeCatalog();
  const link = (indexes: IndexCache) =>
    linkSchema({
      catalog,
      scan: null,
      question:
        'What is the total amount of all invoices that "Acme Tools" sent to customers in 2021, by payment status?',
      evidence: 'payment status refers to status_payment17',
      mode: 'linked',
      goldTables: null,
      fullTokens: Number.POSITIVE_INFINITY,
      indexes,
    });
  const start = performance.now();
  const kept = new IndexCache();
  kept.of(catalog);
  const cold = performance.now() - start;
  const what = '1,000 tables x 20 columns';
  return [
    { what: `${what}: words of the catalog, first time in the process`, value: cold, unit: 'ms' },
    {
      what: `${what}: words of the catalog (once a catalog)`,
      value: medianMs(() => indexCatalog(catalog)),
      unit: 'ms',
    },
    { what: `${what}: link one question`, value: medianMs(() => link(kept)), unit: 'ms', reach: '<= 20 ms' },
    { what: `${what}: both together`, value: medianMs(() => link(new IndexCache())), unit: 'ms' },
  ];
}

/** Schema linking on BIRD train's schemas, without cell values and without column meanings, and its speed. */
export const benchmark: Benchmark = {
  title: 'schema linking: validation split, tuning databases, speed',
  run: async () => {
    const timed = speed();
    const bird = readBird();
    const lost = bird.dropped.filter(({ db }) => VALIDATION.has(db)).length;
    const described = withMeanings(bird);
    const isValidation = (db: string) => VALIDATION.has(db);
    const isLarge = (db: string, { tables }: Catalog) => !VALIDATION.has(db) && tables.length > 12;
    return [
      ...table('validation', setsOf(bird, isValidation)),
      ...table(
        'works_cycles of it, 65 tables',
        setsOf(bird, (db) => db === 'works_cycles'),
        PRODUCT,
      ),
      ...table('validation with column meanings', setsOf(described, isValidation), PRODUCT),
      {
        what: 'validation: questions left out, whose gold names a table that the schema lacks',
        value: lost,
        unit: 'questions',
      },
      ...table(
        '66 tuning databases',
        setsOf(bird, (db) => !VALIDATION.has(db)),
        PRODUCT,
      ),
      ...table('tuning databases over 12 tables', setsOf(bird, isLarge)),
      ...table('the same with column meanings', setsOf(described, isLarge), PRODUCT),
      ...table('merged tuning databases', mergedSets(bird)),
      ...timed,
    ];
  },
};

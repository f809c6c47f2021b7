import type { Catalog } from '../../protocol/catalog.ts';
import { plainIdentifier } from '../schema/identifiers.ts';

const SHOWN = 3;

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_"`[\]-]/g, '');
}

/** Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      row.push(best);
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

/** How unlike two names are: 0 the same but for case and separators, null too unlike to be meant. */
function unlike(asked: string, name: string): number | null {
  const a = plain(asked);
  const b = plain(name);
  if (a === '' || b === '') return null;
  if (a === b) return 0;
  const edits = Math.abs(a.length - b.length) > 3 ? Number.POSITIVE_INFINITY : distance(a, b);
  if (edits <= Math.max(1, Math.floor(Math.min(a.length, b.length) / 3))) return edits;
  return Math.min(a.length, b.length) >= 3 && (a.includes(b) || b.includes(a)) ? 4 : null;
}

/** The candidates whose names are like `asked`, the nearest first. */
export function nearest<T>(asked: string, candidates: readonly T[], nameOf: (candidate: T) => string): T[] {
  const scored = candidates.flatMap((candidate) => {
    const score = unlike(asked, nameOf(candidate));
    return score === null ? [] : [{ candidate, score }];
  });
  return scored.sort((a, b) => a.score - b.score).map(({ candidate }) => candidate);
}

/** Tables and views whose names are like `asked`, the nearest first, three at most. */
export function similarTables(catalog: Catalog, asked: string): string[] {
  const names = catalog.tables.filter(({ type }) => type !== 'shadow').map(({ name }) => name);
  return nearest(asked, names, (name) => name).slice(0, SHOWN);
}

/**
 * Columns whose names are like `asked` as `table.column`, quoted as SQL needs it, the nearest first, three at most; those
 * of `tables` before others.
 */
function similarColumns(catalog: Catalog, tables: readonly string[], asked: string): string[] {
  const columns = catalog.tables
    .filter(({ type }) => type !== 'shadow')
    .flatMap(({ name, columns: own }) => own.map((column) => ({ table: name, column: column.name })));
  const near = nearest(asked, columns, ({ column }) => column);
  const preferred = new Set(tables.map((table) => table.toLowerCase()));
  const isPreferred = ({ table }: { table: string }) => preferred.has(table.toLowerCase());
  return [...near.filter(isPreferred), ...near.filter((candidate) => !isPreferred(candidate))]
    .slice(0, SHOWN)
    .map((candidate) => `${plainIdentifier(candidate.table)}.${plainIdentifier(candidate.column)}`);
}

function choice(names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`Did you mean ${names.join(' or ')}?`];
}

/**
 * What may have been meant where SQLite knows no such table or column. SQLite has one code for all errors of SQL, so the
 * name is read from its message; an unknown message gives no hint.
 *
 * @param message the message of an error with the code SQLITE_ERROR
 * @param tables the tables of the query: their columns are suggested first
 * @returns sentences, none where nothing is similar
 */
export function hintsFor(catalog: Catalog, message: string, tables: readonly string[]): string[] {
  const table = /\bno such table: (.+)$/.exec(message)?.[1];
  if (table !== undefined) return choice(similarTables(catalog, table.replace(/^main\./i, '')).map(plainIdentifier));
  const column = /\bno such column: (.+)$/.exec(message)?.[1]?.replace(/ - should this be a string literal.*$/, '');
  if (column === undefined) return [];
  const parts = column.replaceAll('"', '').split('.');
  return choice(similarColumns(catalog, [...parts.slice(0, -1), ...tables], parts.at(-1) ?? ''));
}

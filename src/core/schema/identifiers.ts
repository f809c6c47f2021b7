const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Keywords of SQLite that cannot stand as a bare name everywhere (https://sqlite.org/lang_keywords.html). ALWAYS,
 * AUTOINCREMENT, CONFLICT, CURRENT, DO, EXCLUDE, FIRST, GENERATED, GROUPS, LAST, MATERIALIZED, NOTHING, NULLS, OTHERS,
 * RETURNING and TIES are left out: prompt format `lines-1` writes them plain.
 */
export const KEYWORDS: ReadonlySet<string> = new Set(
  `abort action add after all alter analyze and as asc attach before begin between by cascade case cast check collate
  column commit constraint create cross current_date current_time current_timestamp database default deferrable deferred
  delete desc detach distinct drop each else end escape except exclusive exists explain fail filter following for foreign
  from full glob group having if ignore immediate in index indexed initially inner insert instead intersect into is isnull
  join key left like limit match natural no not notnull null of offset on or order outer over partition plan pragma
  preceding primary query raise range recursive references regexp reindex release rename replace restrict right rollback
  row rows savepoint select set table temp temporary then to transaction trigger unbounded union unique update using
  vacuum values view virtual when where window with without`.split(/\s+/),
);

/** A name as a double-quoted identifier. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A name as `lines-1` writes it: plain, or double-quoted where it is a keyword or no plain word. */
export function promptIdentifier(name: string): string {
  return PLAIN.test(name) && !KEYWORDS.has(name.toLowerCase()) ? name : quoteIdentifier(name);
}

/** Three of the words that `lines-1` writes plain are refused by SQLite. */
const REFUSED: ReadonlySet<string> = new Set(['autoincrement', 'nothing', 'returning']);

/** A name as SQL for people: plain where SQLite takes it plain, else double-quoted. */
export function plainIdentifier(name: string): string {
  return REFUSED.has(name.toLowerCase()) ? quoteIdentifier(name) : promptIdentifier(name);
}

/** A text as a SQL string literal. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The form under which SQLite compares names: ASCII letters without case, all else as it is. */
export function nameKey(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

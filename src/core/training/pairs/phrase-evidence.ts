import type { Catalog } from '../../../protocol/catalog.ts';
import type { SchemaNames } from './schema-names.ts';

/** A name in a hint is one of the schema, and not an English word, where it looks like one or is compared. */
const LOOKS_TECHNICAL = /[_A-Z0-9]/;
const BEFORE = /(?:[.(=<>]|refers? to|\b(?:max|min|sum|avg|count|distinct))\s*$/i;
const BEHIND = /^\s*(?:[=<>!)]|\b(?:like|between|in)\b|is (?:not )?null)/i;
const WORD = /[\p{L}\p{N}_]+/gu;

/** The other names of the columns and tables that a query reads, by their own in lower case; the first table counts. */
function otherNamesOf(catalog: Catalog, names: SchemaNames, tables: ReadonlySet<string>): Map<string, string> {
  const others = new Map<string, string>();
  const note = (own: string, other: string) => {
    if (own !== other && !others.has(own.toLowerCase())) others.set(own.toLowerCase(), other);
  };
  for (const table of catalog.tables.filter(({ name }) => tables.has(name.toLowerCase()))) {
    note(table.name, names.table(table.name));
    for (const { name } of table.columns) note(name, names.column(table.name, name));
  }
  return others;
}

/**
 * A hint such as "champion refers to round = 'F'" with the names of a schema replaced by the other ones. What stands in
 * quotes stays.
 * @param tables the tables of the gold, in lower case
 */
export function phraseEvidence(
  evidence: string,
  catalog: Catalog,
  names: SchemaNames,
  tables: ReadonlySet<string>,
): string {
  const others = otherNamesOf(catalog, names, tables);
  if (others.size === 0) return evidence;
  return evidence
    .split(/('[^']*')/)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(WORD, (word, offset: number) => {
            const other = others.get(word.toLowerCase());
            if (other === undefined) return word;
            const isName =
              LOOKS_TECHNICAL.test(word.slice(1)) ||
              BEFORE.test(part.slice(0, offset)) ||
              BEHIND.test(part.slice(offset + word.length));
            return isName ? other : word;
          }),
    )
    .join('');
}

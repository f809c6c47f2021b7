import type { ValueScan } from '../../protocol/catalog.ts';
import { holdsText } from './column-kind.ts';
import { quoteText } from './identifiers.ts';
import { type PromptTable, renderReference } from './lines1-schema.ts';
import { type ValueHit, valueIndexOf } from './value-index.ts';
import { codePoints, compareCodePoints } from './words.ts';

const MOST_VALUES = 2;
const MOST_COLUMNS = 12;

interface ColumnMatch {
  reference: string;
  values: string[];
  longest: number;
}

/** Drops a value whose words stand contiguously in those of another; two with the same words drop each other. */
function withoutContained(hits: readonly ValueHit[]): ValueHit[] {
  const spaced = hits.map(({ words }) => ` ${words} `);
  return hits.filter(
    (_, index) => !spaced.some((other, position) => position !== index && other.includes(spaced[index] ?? '')),
  );
}

function longestFirst(a: string, b: string): number {
  return codePoints(b) - codePoints(a) || compareCodePoints(a, b);
}

function columnMatches(tables: readonly PromptTable[], scan: ValueScan, text: string): ColumnMatch[] {
  const hits = valueIndexOf(scan).find(text);
  const positions = new Map(scan.columns.map((found, position) => [found, position]));
  const matches: ColumnMatch[] = [];
  for (const { table, columns } of tables) {
    for (const { column, values: found, listed } of columns) {
      if (!found || listed || !holdsText(column.kind)) continue;
      const values = withoutContained(hits.get(positions.get(found) ?? -1) ?? [])
        .map(({ value }) => value)
        .sort(longestFirst)
        .slice(0, MOST_VALUES);
      const [first] = values;
      if (first === undefined) continue;
      matches.push({ reference: renderReference(table.name, column.name), values, longest: codePoints(first) });
    }
  }
  return matches;
}

/** The lines of the values that stand in the question or evidence: at most 12 columns, in schema order. */
export function renderValues(tables: readonly PromptTable[], scan: ValueScan, text: string): string[] {
  const matches = columnMatches(tables, scan, text);
  const shown = new Set(matches.toSorted((a, b) => b.longest - a.longest).slice(0, MOST_COLUMNS));
  return matches
    .filter((match) => shown.has(match))
    .map(({ reference, values }) => `${reference}: ${values.map(quoteText).join(', ')}`);
}

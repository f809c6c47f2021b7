import type { Catalog, Table } from '../../../protocol/catalog.ts';
import { splitWords } from '../../link/words.ts';
import { nameKey } from '../../schema/identifiers.ts';
import { isPromptTable } from '../../schema/lines1-schema.ts';
import type { Random } from '../../score/statistics/random.ts';
import { weighted } from './chance.ts';
import { anyStyle, inStyle, type NameStyle } from './identifiers-in-style.ts';
import { longer, plural, shorter, singular } from './name-words.ts';

/** Other names for the tables and columns of a schema, by the names that they have. Unknown ones stay as they are. */
export interface SchemaNames {
  table(name: string): string;
  column(table: string, column: string): string;
}

/** The names as the schema spells them. */
export const OWN_NAMES: SchemaNames = { table: (name) => name, column: (_, column) => column };

/** What one phrasing does to all names of a schema. */
interface Manner {
  style: NameStyle;
  word: (word: string) => string;
  tables: 'kept' | 'singular' | 'plural' | { before: string } | { after: string };
  columns: 'kept' | 'with_table' | 'without_table';
}

/** Columns that are often named with their table: `name` or `student_name`. */
const GENERIC: ReadonlySet<string> = new Set(
  'id name title type code date status description number key label kind comment note'.split(' '),
);

function anyManner(random: Random): Manner {
  const style = anyStyle(random);
  const same = (word: string) => word;
  return {
    style,
    word: weighted(
      [
        [same, 4],
        [shorter, 1],
        [longer, 1],
      ],
      random,
    ),
    tables: weighted<Manner['tables']>(
      [
        ['kept', 4],
        ['singular', 1],
        ['plural', 1],
        [{ before: 'tbl' }, 1],
        [
          {
            after: weighted(
              [
                ['data', 1],
                ['info', 1],
                ['list', 1],
                ['records', 1],
              ],
              random,
            ),
          },
          1,
        ],
      ],
      random,
    ),
    columns: weighted<Manner['columns']>(
      [
        ['kept', 4],
        ['with_table', 1],
        ['without_table', 1],
      ],
      random,
    ),
  };
}

/** The last word of a name, changed. */
function withLast(words: readonly string[], change: (word: string) => string): string[] {
  return words.map((word, index) => (index === words.length - 1 ? change(word) : word));
}

function tableWords(words: readonly string[], { tables }: Manner): string[] {
  if (tables === 'singular') return withLast(words, singular);
  if (tables === 'plural') return withLast(words, (word) => plural(singular(word)));
  if (tables === 'kept') return [...words];
  return 'before' in tables ? [tables.before, ...words] : [...words, tables.after];
}

function columnWords(words: readonly string[], table: readonly string[], { columns }: Manner): string[] {
  const owner = withLast(table, singular);
  if (columns === 'with_table' && words.length === 1 && GENERIC.has(words[0] ?? '')) return [...owner, ...words];
  const begins = owner.length > 0 && words.length > owner.length && owner.every((word, index) => words[index] === word);
  return columns === 'without_table' && begins ? words.slice(owner.length) : [...words];
}

function written(words: readonly string[], name: string, { style, word }: Manner): string {
  // Names in other scripts, and those of marks alone, have no words that a style could put together.
  if (style === 'kept' || words.length === 0 || !/^[ -~]*$/.test(name)) return name;
  return inStyle(words.map(word), style);
}

/** Names that are no two the same for SQLite: one that is taken already stays as it was, or gets a number. */
function distinct(names: readonly { own: string; other: string }[]): Map<string, string> {
  const taken = new Set<string>();
  return new Map(
    names.map(({ own, other }) => {
      let name = taken.has(nameKey(other)) ? own : other;
      for (let count = 2; taken.has(nameKey(name)); count += 1) name = `${own}_${count}`;
      taken.add(nameKey(name));
      return [nameKey(own), name];
    }),
  );
}

function columnsOf(table: Table, manner: Manner): Map<string, string> {
  const owner = splitWords(table.name);
  return distinct(
    table.columns.map(({ name }) => {
      const words = splitWords(name);
      return { own: name, other: written(columnWords(words, owner, manner), name, manner) };
    }),
  );
}

/**
 * Other names of a schema, made of the words of its own: in another style (`student_id`, `StudentID`), shorter or longer
 * (`dept`, `department`), tables in the plural or with a mark, columns with or without their table's name.
 */
export function otherNames(catalog: Catalog, random: Random): SchemaNames {
  const manner = anyManner(random);
  if (manner.style === 'kept') return OWN_NAMES;
  const shown = catalog.tables.filter(isPromptTable);
  const tables = distinct([
    // What keeps its name comes first, so that nothing else takes it.
    ...catalog.tables.filter((table) => !isPromptTable(table)).map(({ name }) => ({ own: name, other: name })),
    ...shown.map(({ name }) => ({ own: name, other: written(tableWords(splitWords(name), manner), name, manner) })),
  ]);
  const columns = new Map(shown.map((table) => [nameKey(table.name), columnsOf(table, manner)]));
  return {
    table: (name) => tables.get(nameKey(name)) ?? name,
    column: (table, column) => columns.get(nameKey(table))?.get(nameKey(column)) ?? column,
  };
}

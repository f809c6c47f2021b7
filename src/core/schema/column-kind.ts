import type { ColumnKind } from '../../protocol/catalog.ts';

/** Parts of a declared type and the kind that they mean, the first that fits (prompt format `lines-1`). */
const KINDS: readonly (readonly [RegExp, ColumnKind])[] = [
  [/DATETIME|TIMESTAMP/i, 'datetime'],
  [/DATE/i, 'date'],
  [/BOOL/i, 'boolean'],
  [/INT/i, 'integer'],
  [/CHAR|CLOB|TEXT/i, 'text'],
  [/BLOB/i, 'blob'],
  [/REAL|FLOA|DOUB/i, 'real'],
];

/** The kind of a column by its declared type; `numeric` where nothing fits or no type is declared. */
export function columnKind(declared: string): ColumnKind {
  return KINDS.find(([part]) => part.test(declared))?.[1] ?? 'numeric';
}

const TEXT_KINDS: ReadonlySet<ColumnKind> = new Set(['text', 'boolean', 'numeric', 'date', 'datetime']);

/** Whether the text values of a column of this kind are looked at for prompts and linking. */
export function holdsText(kind: ColumnKind): boolean {
  return TEXT_KINDS.has(kind);
}

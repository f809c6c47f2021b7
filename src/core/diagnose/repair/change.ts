import type { Edit, EditKind } from '../../../protocol/diagnosis.ts';
import type { Range } from '../../sql/ast/query.ts';
import { endOf, textOf } from '../../sql/ast/source.ts';
import { positionAt } from '../../sql/position.ts';
import type { Feature } from './features.ts';

/**
 * Order of insertions at one place, by the clause they add: JOIN before WHERE before GROUP BY … Two of one rank do not go
 * together there.
 */
export const RANKS = { join: 1, where: 2, group: 3, having: 4, order: 5, limit: 6, other: 0 } as const;

/** One edit of the prediction, with what it does to the bag of features. */
export interface Change {
  readonly kind: EditKind;
  readonly range: Range;
  readonly after: string;
  readonly rank: number;
  readonly drops: readonly Feature[];
  readonly gains: readonly Feature[];
  /** What it does to the number of the result's columns, and in which arm of the outermost query; most do nothing. */
  readonly width: { readonly arm: number; readonly by: number } | null;
  /** What is shown of it where its own text says too little: `T1.age > 5` for `>`. */
  readonly shown: { readonly before: string; readonly after: string } | null;
}

/** Changes that are made together: one edit, or one with those that it needs to be valid. */
export interface Move {
  readonly changes: readonly Change[];
  /** How unlikely it is by its kind alone; 1 for the likeliest. */
  readonly prior: number;
}

/** A change with its optional parts left out. */
export type ChangeParts = Pick<Change, 'kind' | 'range' | 'after'> &
  Partial<Pick<Change, 'rank' | 'drops' | 'gains' | 'width' | 'shown'>>;

/** Fills in what most changes do not need. */
export function change(parts: ChangeParts): Change {
  return { rank: RANKS.other, drops: [], gains: [], width: null, shown: null, ...parts };
}

/** A move of one change. */
export function single(prior: number, parts: ChangeParts): Move {
  return { changes: [change(parts)], prior };
}

function byPlace(one: Change, other: Change): number {
  return one.range.offset - other.range.offset || one.range.length - other.range.length || one.rank - other.rank;
}

/** Changes in order of the text; insertions at one place in order of their clauses, before what is replaced there. */
export function inOrder(changes: readonly Change[]): Change[] {
  return [...changes].sort(byPlace);
}

/** Whether changes can be made at once: no two touch the same text. */
export function areApart(changes: readonly Change[]): boolean {
  return inOrder(changes).every((change, index, sorted) => {
    const next = sorted[index + 1];
    if (next === undefined) return true;
    if (endOf(change.range) > next.range.offset) return false;
    return !(change.range.length === 0 && byPlace(change, next) === 0);
  });
}

/** The edits of changes that are apart, in order of the text. */
export function editsOf(sql: string, changes: readonly Change[]): Edit[] {
  return inOrder(changes).map((change) => {
    const { kind, range, after } = change;
    const before = textOf(sql, range);
    const position = positionAt(sql, range.offset, range.length);
    return { kind, range: position, before, after, sentence: sentenceOf(before, change) };
  });
}

function sentenceOf(before: string, { after, shown }: Change): string {
  const [old, made] = shown === null ? [tidy(before), tidy(after)] : [tidy(shown.before), tidy(shown.after)];
  if (old === '') return `${made} should be added`;
  if (made === '') return `${old} should be left out`;
  return `${old} should be ${made}`;
}

/** On one line, without the comma or AND of a list that the text begins or ends with. */
function tidy(text: string): string {
  return text
    .replaceAll(/\s*[\r\n]\s*/g, ' ')
    .trim()
    .replace(/^(?:,|(?:and|or)\b)\s*/i, '')
    .replace(/\s*(?:,|\b(?:and|or))$/i, '');
}

/**
 * Replays edits on the text they were made for: each range of the unedited text is replaced, insertions at one place in
 * the order of the list.
 * @throws RangeError where they overlap, are out of order, or the text at a range is not what the edit replaces
 */
export function replay(sql: string, edits: readonly Pick<Edit, 'range' | 'before' | 'after'>[]): string {
  let result = '';
  let at = 0;
  for (const { range, before, after } of edits) {
    if (range.offset < at || textOf(sql, range) !== before) throw new RangeError('edits that do not fit the text');
    result += sql.slice(at, range.offset) + after;
    at = endOf(range);
  }
  return result + sql.slice(at);
}

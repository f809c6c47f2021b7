import type { ErrorClass, Finding } from '../../../protocol/diagnosis.ts';
import type { Range } from '../../sql/ast/query.ts';
import { positionAt } from '../../sql/position.ts';
import type { Piece } from './pieces.ts';

/** A finding before its places and confidence are told. */
export interface Draft {
  readonly class: ErrorClass;
  readonly sentence: string;
  /** Where the prediction says it; null where it lacks something. */
  readonly pred: Place | null;
  readonly gold: Place | null;
  readonly evidence: Finding['evidence'];
}

interface Place {
  readonly sql: string;
  readonly range: Range;
}

export function placeOf(piece: Piece | undefined): Place | null {
  return piece === undefined ? null : { sql: piece.side.sql, range: piece.range };
}

/** The place from the first of some pieces to the last. */
export function placeOfAll(pieces: readonly Piece[]): Place | null {
  const [first] = pieces;
  if (first === undefined) return null;
  const start = Math.min(...pieces.map(({ range }) => range.offset));
  const end = Math.max(...pieces.map(({ range }) => range.offset + range.length));
  return { sql: first.side.sql, range: { offset: start, length: end - start } };
}

export function findingOf(draft: Draft, confidence: number, evidence: Finding['evidence'] = {}): Finding {
  const position = (place: Place | null) =>
    place === null ? null : positionAt(place.sql, place.range.offset, place.range.length);
  return {
    class: draft.class,
    sentence: draft.sentence,
    range: position(draft.pred),
    goldRange: position(draft.gold),
    confidence,
    evidence: { ...draft.evidence, ...evidence },
  };
}

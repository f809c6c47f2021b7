import type { ErrorClass } from '../../../protocol/diagnosis.ts';
import { pieceText } from './assembly.ts';
import { type Draft, placeOf, placeOfAll } from './finding.ts';
import type { Piece } from './pieces.ts';

const AGGREGATE = /^(count|sum|avg|total|min|max|group_concat|string_agg) \( (distinct )?(.*) \)$/;
const WRAPPERS: readonly { readonly kind: ErrorClass; readonly pattern: RegExp }[] = [
  {
    kind: 'rounding',
    pattern: /\b(?:round|floor|ceil|ceiling|trunc|printf|format) \(|(?:avg \(| \/ ).*\bas (?:integer|int)\b/,
  },
  { kind: 'null_handling', pattern: /\b(?:coalesce|ifnull|nullif) \(|\bis (?:not )?null\b/ },
  { kind: 'concatenation', pattern: /\|\||\bconcat(?:_ws)? \(/ },
  { kind: 'text_for_number', pattern: /\bcast \(|\bprintf \(|\bformat \(/ },
];
const REAL = /\bas (?:real|float|double|numeric|decimal)\b|(?<![\w.])\d+\.\d*|\.0\b/;

interface Aggregate {
  readonly call: string;
  readonly distinct: boolean;
  readonly argument: string;
}

function aggregateOf(text: string): Aggregate | null {
  const match = AGGREGATE.exec(text);
  return match === null ? null : { call: match[1] ?? '', distinct: match[2] !== undefined, argument: match[3] ?? '' };
}

/** Two select items at the same place that say different things. */
export function classifyItem(gold: Piece, pred: Piece): Draft[] {
  const [goldText, predText] = [pieceText(gold), pieceText(pred)];
  const draft = (kind: ErrorClass, sentence: string): Draft => ({
    class: kind,
    sentence,
    pred: placeOf(pred),
    gold: placeOf(gold),
    evidence: { pred: predText, gold: goldText },
  });
  const should = `${predText} should be ${goldText}`;
  const [one, other] = [aggregateOf(gold.text), aggregateOf(pred.text)];
  if (one !== null && other !== null) return betweenAggregates(one, other, draft, should);
  const special = specialDrafts(gold.text, pred.text, draft, should);
  if (special.length > 0) return special;
  const hasAggregate = (text: string) => /\b(?:count|sum|avg|total|min|max|group_concat) \(/.test(text);
  if (hasAggregate(gold.text) !== hasAggregate(pred.text)) return [draft('wrong_aggregate', `${should}.`)];
  const names = (text: string) => text.match(/\b(?:count|sum|avg|total|min|max) \(( distinct)?/g)?.join(' ') ?? '';
  if (names(gold.text) !== names(pred.text)) return [draft('wrong_aggregate', `${should}.`)];
  return [draft('wrong_column', `${should}.`)];
}

function betweenAggregates(
  gold: Aggregate,
  pred: Aggregate,
  draft: (kind: ErrorClass, sentence: string) => Draft,
  should: string,
): Draft[] {
  if (gold.call !== pred.call) return [draft('wrong_aggregate', `${should}.`)];
  if (gold.distinct !== pred.distinct) {
    const why = gold.distinct ? 'the gold counts each value once' : 'the gold counts each row';
    const found = [draft('distinct_in_aggregate', `${should}: ${why}.`)];
    const isNamed = gold.argument === pred.argument || gold.argument === '*' || pred.argument === '*';
    return isNamed ? found : [...found, draft('wrong_column', `${should}.`)];
  }
  if (gold.argument === '*' || pred.argument === '*')
    return [
      draft('null_handling', `${should}: COUNT(*) counts rows, COUNT of a column only those where it is not NULL.`),
      draft('wrong_aggregate', `${should}.`),
    ];
  const special = specialDrafts(gold.argument, pred.argument, draft, should);
  return special.length > 0 ? special : [draft('wrong_column', `${should}.`)];
}

/** What only one of the two does with a value that both take. */
function specialDrafts(
  gold: string,
  pred: string,
  draft: (kind: ErrorClass, sentence: string) => Draft,
  should: string,
): Draft[] {
  const divides = gold.includes(' / ') && pred.includes(' / ');
  if (divides && REAL.test(gold) !== REAL.test(pred))
    return [draft('integer_division', `${should}: a division of two integers drops the fraction.`)];
  return WRAPPERS.filter(({ pattern }) => pattern.test(gold) !== pattern.test(pred)).map(({ kind }) =>
    draft(kind, `${should}.`),
  );
}

/** Lists of select items of different lengths. */
export function classifyItems(gold: readonly Piece[], pred: readonly Piece[]): Draft[] {
  const missing = without(gold, pred);
  const extra = without(pred, gold);
  const list = (pieces: readonly Piece[]) => pieces.map(pieceText).join(', ');
  const joins = extra.find(({ text }) => /\|\||\bconcat(?:_ws)? \(/.test(text));
  const draft = (kind: ErrorClass, sentence: string): Draft => ({
    class: kind,
    sentence,
    pred: placeOfAll(extra),
    gold: placeOfAll(missing),
    evidence: { missing: missing.map(pieceText), extra: extra.map(pieceText) },
  });
  if (joins !== undefined && gold.length > pred.length)
    return [
      draft('concatenation', `${pieceText(joins)} puts into one column what the gold gives as ${list(missing)}.`),
    ];
  const drafts: Draft[] = [];
  if (pred.length > gold.length)
    drafts.push(
      draft(
        'extra_column',
        `The prediction selects ${pred.length} columns, the gold ${gold.length}: ${list(extra)} is too much.`,
      ),
    );
  if (pred.length < gold.length)
    drafts.push(
      draft(
        'missing_column',
        `The prediction selects ${pred.length} columns, the gold ${gold.length}: ${list(missing)} is missing.`,
      ),
    );
  if (missing.length > 0 && extra.length > 0)
    drafts.push(draft('wrong_column', `The prediction selects ${list(extra)}; the gold ${list(missing)}.`));
  return drafts;
}

/** The pieces of one list that the other has not. */
function without(pieces: readonly Piece[], others: readonly Piece[]): Piece[] {
  const left = others.map(({ text }) => text);
  return pieces.filter(({ text }) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

import type { ErrorClass } from '../../../protocol/diagnosis.ts';
import type { Expr } from '../../sql/ast/query.ts';
import { between } from '../../sql/ast/source.ts';
import { callsIn, withoutParentheses } from '../../sql/ast/walk.ts';
import { isAggregateCall } from '../../sql/scope/functions.ts';
import { pieceText } from './assembly.ts';
import { classifyItem } from './classify-item.ts';
import { type Draft, placeOf } from './finding.ts';
import { literalsIn, operatorOf } from './pair-conditions.ts';
import type { Piece } from './pieces.ts';
import { withoutCase } from './without-case.ts';

/**
 * A condition that one side has, or both have in another form.
 * @param others all conditions of the prediction's clause
 */
export function classifyCondition(
  area: 'join' | 'where' | 'having',
  gold: Piece | undefined,
  pred: Piece | undefined,
  others: readonly Piece[],
): Draft[] {
  const draft = (kind: ErrorClass, sentence: string): Draft => ({
    class: kind,
    sentence,
    pred: placeOf(pred),
    gold: placeOf(gold),
    evidence: {
      ...(pred === undefined ? {} : { pred: pieceText(pred) }),
      ...(gold === undefined ? {} : { gold: pieceText(gold) }),
    },
  });
  if (area === 'join') return [draft('wrong_join_condition', joinSentence(gold, pred))];
  if (pred === undefined) return gold === undefined ? [] : missing(gold, others, draft);
  if (gold === undefined) return extra(pred, draft);
  return changed(gold, pred, draft);
}

type MakeDraft = (kind: ErrorClass, sentence: string) => Draft;

function joinSentence(gold?: Piece, pred?: Piece): string {
  if (gold === undefined) return `The prediction joins on ${said(pred)}, which the gold does not ask for.`;
  if (pred === undefined) return `The gold joins on ${said(gold)}; the prediction does not.`;
  return `The prediction joins on ${said(pred)}; the gold joins on ${said(gold)}.`;
}

function said(piece: Piece | undefined): string {
  return piece === undefined ? '' : pieceText(piece);
}

function isNullTest({ node }: Piece): boolean {
  if (node?.type === 'BinaryExpr')
    return (node.op === 'Is' || node.op === 'IsNot') && node.right.type === 'NullLiteral';
  return node?.type === 'IsNullExpr' || node?.type === 'NotNullExpr';
}

/** `x = NULL` and `x <> NULL`, which are NULL for every row. */
function isComparedWithNull({ node }: Piece): boolean {
  return (
    node?.type === 'BinaryExpr' &&
    (node.op === 'Equals' || node.op === 'NotEquals') &&
    [node.left, node.right].some(({ type }) => type === 'NullLiteral')
  );
}

function missing(gold: Piece, others: readonly Piece[], draft: MakeDraft): Draft[] {
  const instead = others.some((other) => standsUnderOr(gold, other))
    ? 'in the prediction it stands under OR, so that rows without it may be kept, too.'
    : 'the prediction does not ask for that.';
  const sentence = `The gold keeps only rows with ${said(gold)}; ${instead}`;
  const drafts = [draft('missing_filter', sentence)];
  if (isNullTest(gold)) drafts.push(draft('null_handling', sentence));
  return drafts;
}

/** Whether a condition is one of those that OR puts together, alone or with AND. */
function standsUnderOr(gold: Piece, { node, textAt }: Piece): boolean {
  if (node?.type !== 'BinaryExpr' || node.op !== 'Or') return false;
  const text = sortedSides(gold.text);
  return operandsOf(node).some(
    ({ span }) => sortedSides(textAt(between(span.offset, span.offset + span.length))) === text,
  );
}

function operandsOf(node: Expr): Expr[] {
  const inner = withoutParentheses(node);
  const isLogic = inner.type === 'BinaryExpr' && (inner.op === 'And' || inner.op === 'Or');
  return isLogic ? [...operandsOf(inner.left), ...operandsOf(inner.right)] : [inner];
}

function extra(pred: Piece, draft: MakeDraft): Draft[] {
  const sentence = `The prediction keeps only rows with ${said(pred)}, which the gold does not ask for.`;
  const drafts = [draft('extra_filter', sentence)];
  if (isNullTest(pred)) drafts.push(draft('null_handling', sentence));
  return drafts;
}

const TRIMMED = /\b(?:lower|upper|trim|ltrim|rtrim)\s*\(|\bcollate\s+nocase\b/;

const masked = (text: string) => text.replace(/'(?:[^']|'')*'/g, '?').replace(/(?<![\w.])-? ?\d+(?:\.\d+)?/g, '?');

/** A text without operators of comparison. */
const unoperated = (text: string) =>
  text
    .replace(/ (?:not like|like|not in|in|is not|is|!=|<=|>=|=|<|>|glob|not between|between) /g, ' ~ ')
    .replace(/%/g, '');

function changed(gold: Piece, pred: Piece, draft: MakeDraft): Draft[] {
  const compared = `The prediction asks for ${said(pred)}; the gold for ${said(gold)}.`;
  if (isNullTest(gold) && isComparedWithNull(pred))
    return [draft('null_handling', `${said(pred)} is true for no row; the gold asks for ${said(gold)}.`)];
  const inAggregate = aggregateDrafts(gold, pred);
  if (inAggregate.length > 0) return inAggregate;
  const isCase = withoutCase(gold.text) === withoutCase(pred.text);
  if (isCase || (TRIMMED.test(gold.text) !== TRIMMED.test(pred.text) && sameButCase(gold.text, pred.text)))
    return [
      draft(
        'filter_case_or_space',
        `The filters differ in case or white space alone: the prediction asks for ${said(pred)}; the gold for ${said(gold)}.`,
      ),
    ];
  if (masked(gold.text) === masked(pred.text)) return [draft('wrong_filter_value', compared)];
  const sameOperator = operatorOf(gold) === operatorOf(pred);
  if (!sameOperator && masked(unoperated(sortedSides(gold.text))) === masked(unoperated(sortedSides(pred.text))))
    return [draft('wrong_filter_operator', compared)];
  return drafts(gold, pred, sameOperator, draft, compared);
}

/** `a = b` was written with its sides sorted; `a > b` was not. */
function sortedSides(text: string): string {
  const sides = text.split(/ (?:!=|<=|>=|=|<|>) /);
  return sides.length === 2 ? sides.sort().join(' = ') : text;
}

function sameButCase(gold: string, pred: string): boolean {
  const bare = (text: string) => withoutCase(text).replace(/[%\s]/g, '');
  return bare(gold) === bare(pred);
}

function drafts(gold: Piece, pred: Piece, sameOperator: boolean, draft: MakeDraft, sentence: string): Draft[] {
  const sameLiterals = literalsIn(gold.node).join('\n') === literalsIn(pred.node).join('\n');
  const found: Draft[] = [];
  if (
    /\b(?:coalesce|ifnull|is not null|is null)\b/.test(gold.text) !==
    /\b(?:coalesce|ifnull|is not null|is null)\b/.test(pred.text)
  )
    found.push(draft('null_handling', sentence));
  if (/\bcast \(/.test(gold.text) !== /\bcast \(/.test(pred.text)) found.push(draft('text_for_number', sentence));
  const sameColumns = columnsOf(gold.text) === columnsOf(pred.text);
  if (!sameColumns) found.push(draft('wrong_filter_column', sentence));
  if (!sameOperator || (sameColumns && sameLiterals && found.length === 0))
    found.push(draft('wrong_filter_operator', sentence));
  if (!sameLiterals || found.length === 0) found.push(draft('wrong_filter_value', sentence));
  return found;
}

function columnsOf(text: string): string {
  const names = text.replace(/'(?:[^']|'')*'/g, ' ').match(/[^\s()',]+ \. [^\s()',]+/g) ?? [];
  return [...new Set(names)].sort().join(' ');
}

/** Conditions on aggregates that differ in the aggregate: `HAVING count(*) > 2` and `HAVING sum(x) > 2`. */
function aggregateDrafts(gold: Piece, pred: Piece): Draft[] {
  const [ones, others] = [aggregatesIn(gold), aggregatesIn(pred)];
  const piece = (side: Piece, call: Expr): Piece => {
    const range = { offset: call.span.offset, length: call.span.length };
    return { ...side, node: call, range, text: side.textAt(range) };
  };
  if (ones.length !== others.length) return [];
  const pairs = ones.flatMap((one, index) => {
    const other = others[index];
    return other === undefined ? [] : [[piece(gold, one), piece(pred, other)] as const];
  });
  const [differing, ...more] = pairs.filter(([left, right]) => left.text !== right.text);
  return differing === undefined || more.length > 0 ? [] : classifyItem(...differing);
}

function aggregatesIn({ node }: Piece): Expr[] {
  return node === null ? [] : callsIn(node).filter(isAggregateCall);
}

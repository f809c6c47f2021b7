import type { JoinKind } from '../../sql/ast/query.ts';
import { foldName } from '../../sql/tokens.ts';
import { limitForm, pieceText } from './assembly.ts';
import { classifyCondition } from './classify-condition.ts';
import { classifyItem, classifyItems } from './classify-item.ts';
import type { Difference } from './differences.ts';
import { type Draft, placeOf, placeOfAll } from './finding.ts';
import type { Instance } from './instances.ts';
import type { Piece, Pieces } from './pieces.ts';

/** The kinds of error that a difference is, the likeliest first; one at least. */
export function classify(difference: Difference, gold: Pieces, pred: Pieces): Draft[] {
  const [one, other] = [difference.gold[0], difference.pred[0]];
  switch (difference.area) {
    case 'tables':
      return tablesDrafts(difference, gold, pred);
    case 'from':
      return fromDrafts(difference, gold, pred);
    case 'join':
    case 'where':
    case 'having':
      return classifyCondition(
        difference.area,
        one,
        other,
        difference.area === 'having' ? pred.having : pred.conditions,
      );
    case 'group':
      return [groupDraft(difference)];
    case 'item_order':
      return [
        {
          class: 'swapped_columns',
          sentence: `The columns are in another order: the gold selects ${texts(difference.gold)}.`,
          pred: placeOfAll(difference.pred),
          gold: placeOfAll(difference.gold),
          evidence: {},
        },
      ];
    case 'item':
      return one !== undefined && other !== undefined && difference.gold.length === 1 && difference.pred.length === 1
        ? classifyItem(one, other)
        : classifyItems(difference.gold, difference.pred);
    case 'distinct':
      return [distinctDraft(gold, pred)];
    case 'order':
      return orderDrafts(difference);
    case 'limit':
      return [limitDraft(gold, pred)];
  }
}

function texts(pieces: Difference['gold']): string {
  return pieces.map(pieceText).join(', ');
}

function names(instances: readonly Instance[]): string {
  return instances.map(nameOf).join(', ');
}

/** A table as it is written; one that the other side has less often, with a word for that. */
function nameOf({ gold, pred, name }: Instance): string {
  const item = (gold ?? pred)?.item;
  if (item?.kind !== 'table') return name === '' ? 'a subquery' : name;
  return `${item.name.text}${name.includes('#') ? ' once more' : ''}`;
}

function itemPlace(instances: readonly Instance[], side: 'gold' | 'pred', { side: { sql } }: Pieces): Draft['pred'] {
  const source = instances[0]?.[side] ?? null;
  return source === null ? null : { sql, range: source.item.range };
}

function tablesDrafts({ goldTables, predTables }: Difference, gold: Pieces, pred: Pieces): Draft[] {
  const places = { pred: itemPlace(predTables, 'pred', pred), gold: itemPlace(goldTables, 'gold', gold) };
  const evidence = { gold: goldTables.map(({ name }) => name), pred: predTables.map(({ name }) => name) };
  if (goldTables.length > 0 && predTables.length > 0)
    return [
      {
        class: 'wrong_table',
        sentence: `The prediction reads ${names(predTables)}; the gold reads ${names(goldTables)}.`,
        ...places,
        evidence,
      },
    ];
  if (goldTables.length > 0)
    return [
      {
        class: 'missing_join',
        sentence: `The gold joins ${names(goldTables)}; the prediction does not.`,
        ...places,
        evidence,
      },
    ];
  return [
    {
      class: 'extra_join',
      sentence: `The prediction joins ${names(predTables)}; the gold does not.`,
      ...places,
      evidence,
    },
  ];
}

/** FROM clauses that were compared as a whole: by their tables, then by how they are joined. */
function fromDrafts(difference: Difference, gold: Pieces, pred: Pieces): Draft[] {
  const tables = ({ side }: Pieces) => side.scope.sources.map((source) => source.item);
  const places = { pred: placeOf(difference.pred[0]), gold: placeOf(difference.gold[0]) };
  const [one, other] = [tables(gold).length, tables(pred).length];
  if (one > other)
    return [
      { class: 'missing_join', sentence: 'The gold joins more tables than the prediction.', ...places, evidence: {} },
    ];
  if (one < other)
    return [
      { class: 'extra_join', sentence: 'The prediction joins more tables than the gold.', ...places, evidence: {} },
    ];
  return [
    {
      class: 'wrong_join_condition',
      sentence:
        partnerless('The gold', gold, 'the prediction', pred) ??
        partnerless('The prediction', pred, 'the gold', gold) ??
        `The gold joins otherwise: ${texts(difference.gold)}.`,
      ...places,
      evidence: {},
    },
  ];
}

/** What is said where one side joins tables by LEFT JOIN that the other joins by an inner one; null where it is not so. */
function partnerless(one: string, { side }: Pieces, other: string, { side: otherSide }: Pieces): string | null {
  const joined = ({ block }: Pieces['side'], isWanted: (kind: JoinKind) => boolean) =>
    (block.from?.joins ?? []).flatMap(({ kind, item }) =>
      isWanted(kind) && item.kind === 'table' ? [item.name.text] : [],
    );
  const inner = new Set(joined(otherSide, isInner).map(foldName));
  const left = joined(side, (kind) => kind === 'left').filter((name) => inner.has(foldName(name)));
  if (left.length === 0) return null;
  return `${one} keeps rows without a partner in ${left.join(', ')} (LEFT JOIN); ${other} drops them.`;
}

function isInner(kind: JoinKind): boolean {
  return kind === 'inner' || kind === 'comma' || kind === 'cross';
}

function groupDraft({ gold, pred }: Difference): Draft {
  const sentence =
    pred.length === 0
      ? `The gold groups by ${texts(gold)}; the prediction does not group.`
      : gold.length === 0
        ? `The prediction groups by ${texts(pred)}; the gold does not group.`
        : `The prediction groups by ${texts(pred)}; the gold by ${texts(gold)}.`;
  return { class: 'wrong_grouping', sentence, pred: placeOfAll(pred), gold: placeOfAll(gold), evidence: {} };
}

function distinctDraft({ side: gold }: Pieces, { side: pred }: Pieces): Draft {
  const isMissing = gold.block.distinct?.kind === 'DISTINCT';
  const place = ({ sql, block }: typeof gold) =>
    block.distinct === null ? null : { sql, range: block.distinct.range };
  return {
    class: isMissing ? 'missing_distinct' : 'extra_distinct',
    sentence: isMissing
      ? 'Without DISTINCT rows that repeat stay in the result.'
      : 'DISTINCT drops rows that repeat; the gold keeps them.',
    pred: place(pred),
    gold: place(gold),
    evidence: {},
  };
}

/** One side sorts by a number that it makes of the other's text. */
function orderDrafts(difference: Difference): Draft[] {
  const draft = orderDraft(difference);
  const isCast = ({ text }: Piece) => /\bcast \(/.test(text);
  const differs = difference.gold.some(isCast) !== difference.pred.some(isCast);
  return differs ? [draft, { ...draft, class: 'text_for_number' }] : [draft];
}

function orderDraft({ gold, pred }: Difference): Draft {
  const direction = (text: string) => text.replace(/ desc$/, '');
  const isFlipped =
    gold.length === pred.length &&
    gold.length > 0 &&
    gold.every(({ text }, index) => direction(text) === direction(pred[index]?.text ?? ''));
  const sentence =
    gold.length === 0
      ? `The prediction sorts by ${terms(pred)}; the gold does not sort.`
      : pred.length === 0
        ? `The gold sorts by ${terms(gold)}; the prediction does not sort.`
        : isFlipped
          ? `The prediction sorts in the other direction: by ${terms(pred)}; the gold by ${terms(gold)}.`
          : `The prediction sorts by ${terms(pred)}; the gold by ${terms(gold)}.`;
  return {
    class: 'wrong_order',
    sentence,
    pred: placeOfAll(pred),
    gold: placeOfAll(gold),
    evidence: { flipped: isFlipped },
  };
}

/** Terms of ORDER BY with their direction. */
function terms(pieces: Difference['gold']): string {
  const behind = ({ text }: Piece) => / (?:desc(?: nulls (?:first|last))?|nulls (?:first|last))$/.exec(text)?.[0] ?? '';
  return pieces.map((piece) => pieceText(piece) + behind(piece).toUpperCase()).join(', ');
}

function limitDraft({ side: gold, limit: goldLimit }: Pieces, { side: pred, limit: predLimit }: Pieces): Draft {
  const place = ({ sql, query }: typeof gold) => (query.limit === null ? null : { sql, range: query.limit.range });
  const words = (limit: string | null) => (limit === null ? 'no LIMIT' : limitForm(limit).replace(/^limit/, 'LIMIT'));
  return {
    class: 'limit_off',
    sentence: `The prediction has ${words(predLimit)}; the gold has ${words(goldLimit)}.`,
    pred: place(pred),
    gold: place(gold),
    evidence: { pred: predLimit, gold: goldLimit },
  };
}

import { type PlacedStage, type PlacedStages, rowsStage } from '../align/clauses.ts';
import { haveSameTables, keyPairings, unpaired } from '../align/key-pairs.ts';
import { compareKeys, type KeyComparison, sameKeySets, sameKeys } from './compare-keys.ts';
import { type Divergence, type DivergenceKind, plainDivergence } from './divergence.ts';
import type { Session } from './session.ts';

/** What FROM, JOIN and WHERE of two blocks came to. */
export interface RowsOutcome {
  readonly divergence: Divergence | null;
  /** The same rows stand another number of times: the join that does it. Whether that counts, later clauses tell. */
  readonly recounted: Divergence | null;
  /** Both sides hold the same tables, so that each row of one is one row of the other. */
  readonly comparable: boolean;
}

interface Sides {
  readonly gold: PlacedStages;
  readonly pred: PlacedStages;
}

const NOTHING: RowsOutcome = { divergence: null, recounted: null, comparable: true };

/**
 * Compares what comes out of FROM, JOIN and WHERE; where that is the same, how it came about does not count: a join that
 * drops nothing, or a condition in ON that the other query has in WHERE, is no difference.
 */
export async function divergenceInRows(session: Session, sides: Sides): Promise<RowsOutcome> {
  const gold = rowsStage(sides.gold);
  const pred = rowsStage(sides.pred);
  if (gold === null || pred === null) return oneWithoutRows(sides, gold, pred);
  const pairings = keyPairings(gold.stage.keys, pred.stage.keys);
  const final = await compareKeys(session, gold.stage, pred.stage, pairings);
  if (final === null) return { ...NOTHING, divergence: otherTables(sides, gold), comparable: false };
  const isSame = haveSameTables(gold.stage.keys, pred.stage.keys);
  if (sameKeys(final)) return { ...NOTHING, comparable: isSame };
  const inFrom = await divergenceInFrom(session, sides);
  if (!sameKeySets(final))
    return {
      divergence: inFrom.hard ?? inWhere(sides, gold, pred, final),
      recounted: null,
      comparable: isSame,
    };
  return {
    divergence: null,
    recounted: inFrom.hard ?? inFrom.recounted ?? inWhere(sides, gold, pred, final),
    comparable: isSame,
  };
}

function oneWithoutRows({ pred: sides }: Sides, gold: PlacedStage | null, pred: PlacedStage | null): RowsOutcome {
  if (gold === null && pred === null) return NOTHING;
  const at = pred ?? sides.select;
  if (at === null) return NOTHING;
  return { ...NOTHING, divergence: plainDivergence('tables', 'FROM', at, gold, pred === null), comparable: false };
}

/** No table is shared, or none whose rows have keys: the first item of FROM that the gold does not have. */
function otherTables({ gold, pred }: Sides, goldRows: PlacedStage): Divergence | null {
  const own = new Set(unpaired(pred.from.at(-1)?.stage.keys ?? [], goldRows.stage.keys).map(({ alias }) => alias));
  const at = pred.from.find(({ stage }) => stage.keys.some(({ alias }) => own.has(alias))) ?? pred.from[0];
  if (at === undefined) return null;
  return plainDivergence('tables', at.stage.clause, at, gold.from.at(at.index) ?? gold.from.at(-1) ?? null);
}

function compared(
  kind: DivergenceKind,
  { gold: goldSides, pred: predSides }: Sides,
  gold: PlacedStage,
  pred: PlacedStage,
  { pairing, missing, extra }: KeyComparison,
): Divergence {
  const upTo = ({ from, where }: PlacedStages, last: PlacedStage) =>
    [...from, ...(where === null ? [] : [where])].filter(({ index }) => index <= last.index);
  return {
    ...plainDivergence(kind, pred.stage.clause, pred, gold),
    rows: {
      gold: gold.stage,
      pred: pred.stage,
      pairing,
      goldStages: upTo(goldSides, gold),
      predStages: upTo(predSides, pred),
    },
    totals: { missing, extra },
  };
}

/** FROM and JOIN hold the same rows, so the conditions make the difference. */
function inWhere(sides: Sides, gold: PlacedStage, pred: PlacedStage, comparison: KeyComparison): Divergence {
  const kind = sameKeySets(comparison) ? 'multiplicity' : 'keys';
  const found = compared(kind, sides, gold, pred, comparison);
  const lacking = sides.pred.where === null && sides.gold.where !== null;
  return lacking
    ? { ...found, clause: 'WHERE', lacking }
    : { ...found, goldIndex: sides.gold.where?.index ?? null, goldRange: sides.gold.where?.stage.range ?? null };
}

interface FromOutcome {
  /** Other rows. */
  readonly hard: Divergence | null;
  /** The same rows, another number of times. */
  readonly recounted: Divergence | null;
}

/** The first stage of FROM and JOIN that has other rows than the gold's stage of the same tables. */
async function divergenceInFrom(session: Session, sides: Sides): Promise<FromOutcome> {
  let recounted: Divergence | null = null;
  for (const pred of sides.pred.from) {
    const gold = sides.gold.from.find(({ stage }) => haveSameTables(stage.keys, pred.stage.keys));
    if (gold === undefined || isComma(pred) !== isComma(gold)) continue;
    const comparison = await compareStages(session, gold, pred);
    if (comparison === null || sameKeys(comparison)) continue;
    if (!sameKeySets(comparison)) return { hard: compared('keys', sides, gold, pred, comparison), recounted };
    recounted ??= compared('multiplicity', sides, gold, pred, comparison);
  }
  const last = await divergenceOfTables(session, sides);
  return { hard: last.hard, recounted: recounted ?? last.recounted };
}

/** A list of tables with the conditions in WHERE, whose rows are all combinations before it. */
function isComma({ stage }: PlacedStage): boolean {
  return stage.join?.cartesian === true && stage.label.startsWith('COMMA');
}

async function compareStages(session: Session, gold: PlacedStage, pred: PlacedStage): Promise<KeyComparison | null> {
  return compareKeys(session, gold.stage, pred.stage, keyPairings(gold.stage.keys, pred.stage.keys));
}

/** Where one side joins a table that the other does not: whether it changes the rows of the shared ones. */
async function divergenceOfTables(session: Session, sides: Sides): Promise<FromOutcome> {
  const gold = sides.gold.from.at(-1);
  const pred = sides.pred.from.at(-1);
  if (gold === undefined || pred === undefined || haveSameTables(gold.stage.keys, pred.stage.keys))
    return { hard: null, recounted: null };
  const isList = sides.pred.from.some(isComma) || sides.gold.from.some(isComma);
  const comparison = isList ? null : await compareStages(session, gold, pred);
  if (comparison === null || sameKeys(comparison)) return { hard: null, recounted: null };
  const onlyPred = introducing(sides.pred, unpaired(pred.stage.keys, gold.stage.keys));
  const onlyGold = introducing(sides.gold, unpaired(gold.stage.keys, pred.stage.keys));
  const found = compared(sameKeySets(comparison) ? 'multiplicity' : 'tables', sides, gold, pred, comparison);
  const at = onlyPred ?? pred;
  const placed: Divergence = {
    ...found,
    clause: onlyPred === null ? (onlyGold?.stage.clause ?? 'JOIN') : at.stage.clause,
    predIndex: at.index,
    range: at.stage.range,
    goldIndex: onlyGold?.index ?? null,
    goldRange: onlyGold?.stage.range ?? null,
    lacking: onlyPred === null,
  };
  return sameKeySets(comparison) ? { hard: null, recounted: placed } : { hard: placed, recounted: null };
}

/** The first stage of FROM that brings in one of some keys. */
function introducing({ from }: PlacedStages, keys: readonly { alias: string }[]): PlacedStage | null {
  const aliases = new Set(keys.map(({ alias }) => alias));
  return from.find(({ stage }) => stage.keys.some(({ alias }) => aliases.has(alias))) ?? null;
}

import type { TrailRow } from '../../../protocol/diagnosis.ts';
import { type Cell, toJsonCell } from '../../../protocol/value.ts';
import { exactKey } from '../../score/cell-key.ts';
import { positionAt } from '../../sql/position.ts';
import type { PlacedStage, PlacedStages } from '../align/clauses.ts';
import { type KeyPair, keyPairings } from '../align/key-pairs.ts';
import { predicateTruthSql, stageKeysSql } from '../trace/stage-sql.ts';
import { groupSignatures, groupsStage } from './in-groups.ts';
import type { Session } from './session.ts';
import { MOST_TRAILS, truthOf } from './trails.ts';

const MOST_GROUPS = 5_000;

/** Groups that one side alone keeps. */
export interface GroupTrails {
  readonly missing: TrailRow[];
  readonly extra: TrailRow[];
  readonly totals: { readonly missing: number; readonly extra: number };
}

/**
 * Groups are the same where they are made of the same rows, whatever they are grouped by; where the two sides share no
 * rows, where they have the same terms. null where they cannot be had.
 * @param totals how many groups are known to be of one side alone
 */
export async function groupTrails(
  session: Session,
  gold: { stages: PlacedStages; text: string },
  pred: { stages: PlacedStages; text: string },
  totals: GroupTrails['totals'],
): Promise<GroupTrails | null> {
  const goldAt = groupsStage(gold.stages);
  const predAt = groupsStage(pred.stages);
  if (goldAt === null || predAt === null) return null;
  const sides = (await byRows(session, goldAt, predAt, totals)) ?? (await byTerms(session, goldAt, predAt));
  if (sides === null) return null;
  const missing = [...sides.gold].filter(([text]) => !sides.pred.has(text)).map(([, key]) => key);
  const extra = [...sides.pred].filter(([text]) => !sides.gold.has(text)).map(([, key]) => key);
  return {
    missing: await trails(session, goldAt, missing.slice(0, MOST_TRAILS), pred),
    extra: await trails(session, predAt, extra.slice(0, MOST_TRAILS), gold),
    totals: { missing: missing.length, extra: extra.length },
  };
}

/** The groups of both sides: their terms by what tells the one from the other. */
interface GroupSides {
  readonly gold: ReadonlyMap<string, Cell[]>;
  readonly pred: ReadonlyMap<string, Cell[]>;
}

/** Told apart by the rows that they are made of, in the way in which `totals` of them differ. */
async function byRows(
  session: Session,
  gold: PlacedStage,
  pred: PlacedStage,
  totals: GroupTrails['totals'],
): Promise<GroupSides | null> {
  for (const pairing of keyPairings(gold.stage.rowKeys, pred.stage.rowKeys))
    for (const exact of [true, false]) {
      const [one, other] = await Promise.all([
        groupRows(session, gold, pairing, 'gold', exact),
        groupRows(session, pred, pairing, 'pred', exact),
      ]);
      if (one === null || other === null) continue;
      const missing = [...one.keys()].filter((text) => !other.has(text)).length;
      const extra = [...other.keys()].filter((text) => !one.has(text)).length;
      if (missing === totals.missing && extra === totals.extra) return { gold: one, pred: other };
    }
  return null;
}

async function groupRows(
  session: Session,
  { stage }: PlacedStage,
  pairing: readonly KeyPair[],
  side: 'gold' | 'pred',
  exact: boolean,
): Promise<Map<string, Cell[]> | null> {
  const terms = stage.keys[0]?.expressions ?? [];
  const sql = terms.length === 0 ? null : groupSignatures(stage, pairing, side, exact, terms);
  const rows = sql === null ? null : await session.rows(sql, MOST_GROUPS);
  if (rows === null || rows.length === MOST_GROUPS) return null;
  return new Map(rows.map((row) => [textOf(row.slice(terms.length)), row.slice(0, terms.length)]));
}

/** Told apart by their terms; null where the sides have different numbers of them. */
async function byTerms(session: Session, gold: PlacedStage, pred: PlacedStage): Promise<GroupSides | null> {
  const width = gold.stage.keys[0]?.expressions.length ?? 0;
  if (width === 0 || width !== pred.stage.keys[0]?.expressions.length) return null;
  const [one, other] = [await groupKeys(session, gold, width), await groupKeys(session, pred, width)];
  return one === null || other === null ? null : { gold: one, pred: other };
}

async function groupKeys(session: Session, { stage }: PlacedStage, width: number): Promise<Map<string, Cell[]> | null> {
  const sql = stageKeysSql(stage, null);
  const rows = sql === null ? null : await session.rows(sql, MOST_GROUPS);
  if (rows === null || rows.length === MOST_GROUPS) return null;
  return new Map(rows.map((row) => [textOf(row.slice(0, width)), row.slice(0, width)]));
}

const textOf = (key: readonly Cell[]) => key.map(exactKey).join('');

async function trails(
  session: Session,
  own: PlacedStage,
  keys: readonly Cell[][],
  other: { stages: PlacedStages; text: string },
): Promise<TrailRow[]> {
  const { having } = other.stages;
  const truths = having === null || keys.length === 0 ? null : await havingTruths(session, having, keys);
  const [group] = own.stage.keys;
  const columns = [...(group?.columns ?? [])];
  return keys.map((key) => {
    const known = truths?.get(textOf(key));
    const values = key.map(toJsonCell);
    return {
      key: [{ table: '', alias: 'group', columns, values }],
      cells: columns.map((name, index) => ({ name, value: values[index] ?? null })),
      dies: known === undefined || having === null ? null : { stage: having.index, clause: having.stage.clause },
      conjuncts:
        known === undefined || having === null
          ? []
          : having.stage.conjuncts.map(({ range }, index) => ({
              text: other.text.slice(range.offset, range.offset + range.length),
              range: positionAt(other.text, range.offset, range.length),
              truth: truthOf(known[index] ?? null),
            })),
    };
  });
}

async function havingTruths(session: Session, { stage }: PlacedStage, keys: readonly Cell[][]) {
  const sql = predicateTruthSql(stage, null, [{ alias: 'group', keys }]);
  const rows = sql === null ? null : await session.rows(sql, MOST_GROUPS);
  const width = stage.keys[0]?.expressions.length ?? 0;
  return new Map(
    (rows ?? []).map((row) => [textOf(row.slice(0, width)), row.slice(width + 1, width + 1 + stage.conjuncts.length)]),
  );
}

import type { TrailRow } from '../../../protocol/diagnosis.ts';
import { type Cell, toJsonCell } from '../../../protocol/value.ts';
import { exactKey } from '../../score/cell-key.ts';
import { positionAt } from '../../sql/position.ts';
import type { PlacedStage, PlacedStages } from '../align/clauses.ts';
import { predicateTruthSql, stageKeysSql } from '../trace/stage-sql.ts';
import { groupsStage } from './in-groups.ts';
import type { Session } from './session.ts';
import { MOST_TRAILS, truthOf } from './trails.ts';

const MOST_GROUPS = 5_000;

/** Groups that one side alone keeps. */
export interface GroupTrails {
  readonly missing: TrailRow[];
  readonly extra: TrailRow[];
  readonly totals: { readonly missing: number; readonly extra: number };
}

/** null where the groups of the two sides have keys of different widths, or cannot be had. */
export async function groupTrails(
  session: Session,
  gold: { stages: PlacedStages; text: string },
  pred: { stages: PlacedStages; text: string },
): Promise<GroupTrails | null> {
  const goldAt = groupsStage(gold.stages);
  const predAt = groupsStage(pred.stages);
  if (goldAt === null || predAt === null) return null;
  const width = goldAt.stage.keys[0]?.expressions.length ?? 0;
  if (width === 0 || width !== predAt.stage.keys[0]?.expressions.length) return null;
  const goldKeys = await groupKeys(session, goldAt, width);
  const predKeys = await groupKeys(session, predAt, width);
  if (goldKeys === null || predKeys === null) return null;
  const missing = [...goldKeys].filter(([text]) => !predKeys.has(text)).map(([, key]) => key);
  const extra = [...predKeys].filter(([text]) => !goldKeys.has(text)).map(([, key]) => key);
  return {
    missing: await trails(session, goldAt, missing.slice(0, MOST_TRAILS), pred),
    extra: await trails(session, predAt, extra.slice(0, MOST_TRAILS), gold),
    totals: { missing: missing.length, extra: extra.length },
  };
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

import type { TrailRow } from '../../../protocol/diagnosis.ts';
import { type Cell, toJsonCell } from '../../../protocol/value.ts';
import { exactKey } from '../../score/cell-key.ts';
import { positionAt } from '../../sql/position.ts';
import type { PlacedStage } from '../align/clauses.ts';
import type { KeyPair } from '../align/key-pairs.ts';
import type { KeyPlan, StagePlan } from '../trace/plan.ts';
import { type KeyFilter, predicateTruthSql, stageKeysSql } from '../trace/stage-sql.ts';
import { cellsOf } from './cells.ts';
import { keysOfOneSide } from './compare-keys.ts';
import type { ComparedStages } from './divergence.ts';
import type { Session } from './session.ts';

/** Rows of a trail at most. */
export const MOST_TRAILS = 20;

/** Combinations of rows looked at to tell the truth of conditions. */
const MOST_COMBINATIONS = 2_000;

/** The side whose stages are asked where a row dies. */
interface OtherSide {
  readonly session: Session;
  /** The text that ranges point into. */
  readonly text: string;
  readonly stages: readonly PlacedStage[];
  readonly keys: readonly KeyPlan[];
}

/**
 * The source rows that one side alone has at a stage: for each, where it dies on the other side, and the truth of that
 * stage's conditions for it.
 * @param text of the query in which the rows die
 */
export async function trailsOf(
  session: Session,
  compared: ComparedStages,
  side: 'missing' | 'extra',
  text: string,
): Promise<TrailRow[]> {
  const { gold, pred, pairing } = compared;
  const rows = await keysOfOneSide(session, gold, pred, pairing, side, MOST_TRAILS);
  if (rows.length === 0) return [];
  const own = side === 'missing' ? 'gold' : 'pred';
  const other = own === 'gold' ? 'pred' : 'gold';
  const where: OtherSide = {
    session,
    text,
    stages: other === 'pred' ? compared.predStages : compared.goldStages,
    keys: pairing.map((pair) => pair[other]),
  };
  const deaths = await deathsOf(where, rows);
  const cells = await cellsOf(
    session,
    pairing.map((pair) => pair[own]),
    rows,
    conditionsOf(deaths),
  );
  const conjuncts = await conjunctsOf(where, rows, deaths);
  return rows.map((row, index) => ({
    key: keyOf(pairing, own, row),
    cells: cells[index] ?? [],
    dies: deathOf(deaths[index] ?? null),
    conjuncts: conjuncts[index] ?? [],
  }));
}

function keyOf(pairing: readonly KeyPair[], own: 'gold' | 'pred', row: readonly Cell[]): TrailRow['key'] {
  let at = 0;
  return pairing.map((pair) => {
    const { table, alias, columns, expressions } = pair[own];
    const values = row.slice(at, at + expressions.length).map(toJsonCell);
    at += expressions.length;
    return { table: table ?? '', alias, columns: [...columns], values };
  });
}

function deathOf(at: PlacedStage | null): TrailRow['dies'] {
  return at === null ? null : { stage: at.index, clause: at.stage.clause };
}

function conditionsOf(deaths: readonly (PlacedStage | null)[]): string {
  return deaths.flatMap((at) => at?.stage.conjuncts.map(({ sql }) => sql) ?? []).join(' ');
}

/** The pieces of a row's key that belong to the aliases of a stage. */
function restriction(stage: StagePlan, keys: readonly KeyPlan[]): { key: KeyPlan; start: number }[] {
  let at = 0;
  return keys.flatMap((key) => {
    const start = at;
    at += key.expressions.length;
    const own = stage.keys.find(({ alias }) => alias === key.alias);
    return own === undefined ? [] : [{ key: own, start }];
  });
}

type Restriction = ReturnType<typeof restriction>;

function filtersFor(parts: Restriction, rows: readonly (readonly Cell[])[]): KeyFilter[] {
  return parts.map(({ key, start }) => {
    const keys = rows.map((row) => row.slice(start, start + key.expressions.length));
    const unique = new Map(keys.map((cells) => [cells.map(exactKey).join(''), cells]));
    return { alias: key.alias, keys: [...unique.values()] };
  });
}

function textOfKey(parts: Restriction, row: readonly Cell[]): string {
  return parts
    .map(({ key, start }) =>
      row
        .slice(start, start + key.expressions.length)
        .map(exactKey)
        .join(''),
    )
    .join('|');
}

/** For each row the first stage that has it no more. */
async function deathsOf(
  { session, stages, keys }: OtherSide,
  rows: readonly Cell[][],
): Promise<(PlacedStage | null)[]> {
  const deaths: (PlacedStage | null)[] = rows.map(() => null);
  for (const at of stages) {
    const parts = restriction(at.stage, keys);
    const open = rows.filter((_, index) => deaths[index] === null);
    if (parts.length === 0 || open.length === 0) continue;
    const asked = { ...at.stage, keys: parts.map(({ key }) => key) };
    const sql = stageKeysSql(asked, null, filtersFor(parts, open));
    const found = sql === null ? null : await session.rows(`SELECT DISTINCT * FROM (${sql})`, MOST_COMBINATIONS);
    if (found === null) continue;
    const alive = new Set(found.map((row) => row.map(exactKey)).map((cells) => joinedBy(parts, cells)));
    for (const [index, row] of rows.entries())
      if (deaths[index] === null && !alive.has(textOfKey(parts, row))) deaths[index] = at;
  }
  return deaths;
}

/** The text of a key whose cells stand in order of the restriction. */
function joinedBy(parts: Restriction, cells: readonly string[]): string {
  let at = 0;
  return parts
    .map(({ key }) => {
      const own = cells.slice(at, at + key.expressions.length).join('');
      at += key.expressions.length;
      return own;
    })
    .join('|');
}

/** The truth of each condition of the stage where a row dies, for the combination that comes nearest to being kept. */
async function conjunctsOf(
  { session, keys, text }: OtherSide,
  rows: readonly Cell[][],
  deaths: readonly (PlacedStage | null)[],
): Promise<TrailRow['conjuncts'][]> {
  const found = rows.map((): TrailRow['conjuncts'] => []);
  for (const at of new Set(deaths)) {
    if (at === null || at.stage.conjuncts.length === 0) continue;
    const { stage } = at;
    const parts = restriction(stage, keys);
    const dead = rows.filter((_, index) => deaths[index] === at);
    const asked = { ...stage, keys: parts.map(({ key }) => key) };
    const sql = predicateTruthSql(asked, { offset: 0, limit: MOST_COMBINATIONS }, filtersFor(parts, dead));
    const combinations = sql === null ? null : await session.rows(sql, MOST_COMBINATIONS);
    const best = nearest(parts, stage.conjuncts.length, combinations ?? []);
    for (const [index, row] of rows.entries()) {
      if (deaths[index] !== at) continue;
      const truths = best.get(textOfKey(parts, row));
      found[index] = stage.conjuncts.map(({ range }, place) => ({
        text: text.slice(range.offset, range.offset + range.length),
        range: positionAt(text, range.offset, range.length),
        truth: truths === undefined ? 'unknown' : truthOf(truths[place] ?? null),
      }));
    }
  }
  return found;
}

/** For each key the truths of the combination with the most true conditions. */
function nearest(parts: Restriction, conditions: number, rows: readonly Cell[][]): Map<string, Cell[]> {
  const best = new Map<string, Cell[]>();
  const width = parts.reduce((sum, { key }) => sum + key.expressions.length, 0);
  const score = (truths: readonly Cell[]) => truths.filter((truth) => truth === 1).length;
  for (const row of rows) {
    const key = joinedBy(parts, row.slice(0, width).map(exactKey));
    const truths = row.slice(width, width + conditions);
    const known = best.get(key);
    if (known === undefined || score(truths) > score(known)) best.set(key, truths);
  }
  return best;
}

export function truthOf(cell: Cell): 'true' | 'false' | 'null' {
  if (cell === null) return 'null';
  return cell === 1 ? 'true' : 'false';
}

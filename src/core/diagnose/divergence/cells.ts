import type { TrailRow } from '../../../protocol/diagnosis.ts';
import { type Cell, toJsonCell } from '../../../protocol/value.ts';
import { quoteIdentifier } from '../../schema/identifiers.ts';
import { exactKey } from '../../score/cell-key.ts';
import { shortCell } from '../../score/short-cell.ts';
import type { KeyPlan } from '../trace/plan.ts';
import { keyCondition } from '../trace/stage-sql.ts';
import type { Session } from './session.ts';

/** Columns of each table that are shown. */
const MOST_COLUMNS = 4;
const LONGEST_CELL = 80;

/**
 * A few cells of each table for source rows, the columns that `conditions` name first.
 * @param rows one key after the other, in order of `keys`
 */
export async function cellsOf(
  session: Session,
  keys: readonly KeyPlan[],
  rows: readonly (readonly Cell[])[],
  conditions: string,
): Promise<TrailRow['cells'][]> {
  const cells = rows.map((): TrailRow['cells'] => []);
  let start = 0;
  for (const key of keys) {
    const own = rows.map((row) => row.slice(start, start + key.expressions.length));
    start += key.expressions.length;
    const shown = await cellsOfTable(session, key, own, conditions);
    for (const [index, list] of cells.entries()) list.push(...(shown[index] ?? []));
  }
  return cells;
}

async function cellsOfTable(
  session: Session,
  key: KeyPlan,
  rows: readonly (readonly Cell[])[],
  conditions: string,
): Promise<TrailRow['cells'][]> {
  if (key.table === null || (key.kind !== 'rowid' && key.kind !== 'primary_key'))
    return rows.map((row) => named(key.alias, key.columns, row.slice(0, MOST_COLUMNS)));
  const condition = keyCondition(
    key,
    rows.filter((row) => row[0] !== null),
  );
  if (condition === null) return [];
  const from = `${quoteIdentifier(key.table)} AS ${quoteIdentifier(key.alias)}`;
  const sql = `SELECT ${key.expressions.join(', ')}, ${quoteIdentifier(key.alias)}.* FROM ${from} WHERE ${condition}`;
  const result = await session.query({ db: session.db, sql, timeoutMs: session.timeoutMs, maxRows: rows.length });
  const width = key.expressions.length;
  const columns = result.columns.slice(width);
  const chosen = chooseColumns(columns, conditions);
  const byKey = new Map(result.rows.map((row) => [row.slice(0, width).map(exactKey).join(''), row.slice(width)]));
  return rows.map((row) => {
    const found = byKey.get(row.map(exactKey).join(''));
    if (found === undefined) return [];
    return named(
      key.alias,
      chosen.map((at) => columns[at] ?? ''),
      chosen.map((at) => found[at] ?? null),
    );
  });
}

function named(alias: string, columns: readonly string[], cells: readonly Cell[]): TrailRow['cells'] {
  return cells.map((cell, index) => ({
    name: `${alias}.${columns[index] ?? ''}`,
    value: toJsonCell(shortCell(cell, LONGEST_CELL)),
  }));
}

/** Places of the columns to show, in order of the table: those of conditions, then the first ones. */
function chooseColumns(columns: readonly string[], conditions: string): number[] {
  const text = conditions.toLowerCase();
  const places = [...columns.keys()];
  const asked = places.filter((at) => mentions(text, columns[at] ?? ''));
  const others = places.filter((at) => !asked.includes(at));
  return [...asked, ...others].slice(0, Math.max(MOST_COLUMNS, asked.length)).sort((a, b) => a - b);
}

function mentions(text: string, column: string): boolean {
  const name = column.toLowerCase();
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + name.length] ?? ' '}`;
    if (!/[\p{L}\p{N}_]/u.test(around)) return true;
  }
  return false;
}

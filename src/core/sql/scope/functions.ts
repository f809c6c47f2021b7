import type { Call } from '../ast/walk.ts';
import { foldName } from '../tokens.ts';

/** SQLite's aggregate functions (https://sqlite.org/lang_aggfunc.html, https://sqlite.org/json1.html). */
const AGGREGATES: ReadonlySet<string> = new Set([
  'avg',
  'count',
  'group_concat',
  'json_group_array',
  'json_group_object',
  'jsonb_group_array',
  'jsonb_group_object',
  'max',
  'median',
  'min',
  'percentile',
  'percentile_cont',
  'percentile_disc',
  'string_agg',
  'sum',
  'total',
]);

/** Whether a call has an OVER clause. */
export function isWindowCall(call: Call): boolean {
  return call.filterOver?.overClause !== undefined;
}

/** Whether a call aggregates the rows of a group: min and max do so with one argument only. */
export function isAggregateCall(call: Call): boolean {
  const name = foldName(call.name.name);
  if (isWindowCall(call) || !AGGREGATES.has(name)) return false;
  if (name !== 'min' && name !== 'max') return true;
  return call.type === 'FunctionCallExpr' && call.args?.length === 1;
}

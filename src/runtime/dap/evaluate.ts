import {
  holdsSql,
  isQuery,
  messagePieces,
  queryOverRows,
  tallySql,
  valuesInBlock,
  valuesOverRows,
} from '../../core/debug/evaluate-sql.ts';
import { cellWords } from '../../core/debug/words.ts';
import type { StagePlan } from '../../core/diagnose/trace/plan.ts';
import type { CancelSignal } from '../../core/ports.ts';
import type { Variable } from '../../protocol/dap.ts';
import { AppError } from '../../protocol/errors.ts';
import type { QueryResult } from '../../protocol/query.ts';
import type { Cell } from '../../protocol/value.ts';
import type { Debuggee } from './debuggee.ts';
import { cellVariable, rowsContainer, valueVariable } from './row-variables.ts';
import type { Handles } from './variables.ts';

/** Rows of an evaluated query that are kept. */
const MOST_ROWS = 1_000;
/** Different values of an evaluated expression that are listed. */
const MOST_VALUES = 100;
/** Values that are told on one line. */
const ON_ONE_LINE = 5;

/** What came of an evaluation. */
export type Evaluated = Omit<Variable, 'name' | 'value'> & { result: string };

/** Runs a text over the rows of a clause: a query FROM rows, or an expression. @throws AppError `dap_query` */
export async function evaluate(
  debuggee: Debuggee,
  handles: Handles,
  stage: StagePlan,
  text: string,
  context: 'hover' | 'other',
  signal: CancelSignal,
): Promise<Evaluated> {
  if (isQuery(text)) return queried(handles, await debuggee.rows(queryOverRows(stage, text), MOST_ROWS, signal));
  const tally = await inEitherWay(debuggee, stage, text, context, (values) => tallySql(values, MOST_VALUES), signal);
  return tallied(handles, tally.rows);
}

/** Whether a predicate holds: for one row at least, or, where it aggregates, for all of them together. */
export async function holds(debuggee: Debuggee, stage: StagePlan, predicate: string, signal: CancelSignal) {
  const { rows } = await inEitherWay(debuggee, stage, predicate, 'other', holdsSql, signal);
  return rows.length > 0;
}

/** The text of a logpoint, its expressions worked out; one that fails stands there as its error. */
export async function logText(debuggee: Debuggee, stage: StagePlan, message: string, signal: CancelSignal) {
  const parts: string[] = [];
  for (const { text, isExpression } of messagePieces(message))
    parts.push(isExpression ? await valueText(debuggee, stage, text, signal) : text);
  return parts.join('');
}

async function valueText(debuggee: Debuggee, stage: StagePlan, expression: string, signal: CancelSignal) {
  try {
    const sql = (values: string) => tallySql(values, MOST_VALUES);
    return wordsOf((await inEitherWay(debuggee, stage, expression, 'other', sql, signal)).rows);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'cancelled') throw error;
    return `{${error.message}}`;
  }
}

/**
 * An expression may name columns of the rows, or be written as in the query, with its aliases. A hover means the latter,
 * all else the former, so that `count(*)` counts the rows that are shown.
 */
async function inEitherWay(
  debuggee: Debuggee,
  stage: StagePlan,
  expression: string,
  context: 'hover' | 'other',
  sql: (values: string) => string,
  signal: CancelSignal,
): Promise<QueryResult> {
  const ways = [valuesOverRows(stage, expression), valuesInBlock(stage, expression)];
  if (context === 'hover') ways.reverse();
  const [first, second] = ways.filter((way) => way !== null);
  try {
    return await debuggee.rows(sql(first ?? ''), MOST_VALUES, signal);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'cancelled' || second === undefined) throw error;
    // What is wrong with the text as it was most likely meant is what is told.
    return debuggee.rows(sql(second), MOST_VALUES, signal).catch((other: unknown) => {
      throw other instanceof AppError && other.code === 'cancelled' ? other : error;
    });
  }
}

function queried(handles: Handles, { columns, rows, truncated }: QueryResult): Evaluated {
  const [row] = rows;
  if (row !== undefined && rows.length === 1 && row.length === 1) return single(row[0] ?? null);
  const source = {
    size: rows.length,
    truths: [],
    hidden: 0,
    read: async (start: number, count: number) => ({ columns, rows: rows.slice(start, start + count) }),
  };
  return {
    result: `${truncated ? 'the first ' : ''}${rows.length} row${rows.length === 1 ? '' : 's'}`,
    type: 'rows',
    variablesReference: rows.length === 0 ? 0 : handles.add(rowsContainer(handles, source)),
    indexedVariables: rows.length,
  };
}

function single(cell: Cell): Evaluated {
  const { value, type, ...rest } = cellVariable('', cell);
  return { result: value, variablesReference: rest.variablesReference, ...(type === undefined ? {} : { type }) };
}

/** @param rows value, how often it stands, how many different ones there are, how many in all */
function tallied(handles: Handles, rows: readonly (readonly Cell[])[]): Evaluated {
  const [first] = rows;
  if (first !== undefined && Number(first[3]) === 1) return single(first[0] ?? null);
  const named = () => rows.map(([value = null, count = null]) => valueVariable(cellWords(value), `${count}×`));
  return {
    result: wordsOf(rows),
    type: 'values',
    variablesReference: rows.length === 0 ? 0 : handles.add({ named }),
    namedVariables: rows.length,
  };
}

function wordsOf(rows: readonly (readonly Cell[])[]): string {
  const [first] = rows;
  if (first === undefined) return 'no rows';
  const [value = null, , different, all] = first;
  if (Number(all) === 1) return cellWords(value);
  const told = rows.slice(0, ON_ONE_LINE).map(([cell = null, count]) => `${cellWords(cell)} ${count}×`);
  const more =
    Number(different) > told.length ? [`… (${Number(different).toLocaleString('en-US')} different values)`] : [];
  return [...told, ...more].join(', ');
}

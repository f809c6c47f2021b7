import { addedRows, type ChangedRows, keyedRows, lostRows } from '../../core/debug/changed-rows.ts';
import type { FollowedKey } from '../../core/debug/followed-row.ts';
import {
  addedBySetOperation,
  lostBySetOperation,
  type SetOperands,
  setOperands,
} from '../../core/debug/set-operation-rows.ts';
import { type Step, stageOf } from '../../core/debug/step.ts';
import { countWords } from '../../core/debug/words.ts';
import type { StagePlan } from '../../core/diagnose/trace/plan.ts';
import { type Page, stageRowsSql } from '../../core/diagnose/trace/stage-sql.ts';
import type { CancelSignal } from '../../core/ports.ts';
import { quoteIdentifier } from '../../core/schema/identifiers.ts';
import type { Scope, Variable } from '../../protocol/dap.ts';
import type { Debuggee } from './debuggee.ts';
import type { OuterRows } from './outer-rows.ts';
import { cellVariable, rowsContainer, valueVariable } from './row-variables.ts';
import type { Container, Followable, Handles } from './variables.ts';

/** What scopes are made with. */
export interface ScopeParts {
  readonly debuggee: Debuggee;
  readonly handles: Handles;
  readonly outerRows: OuterRows;
  /** Makes a row known to data breakpoints. */
  followRow(step: Step, keys: readonly FollowedKey[]): Followable;
}

/** The scopes of a clause. @throws AppError `cancelled` */
export async function clauseScopes(parts: ScopeParts, step: Step, signal: CancelSignal): Promise<Scope[]> {
  const { debuggee } = parts;
  const stage = stageOf(step);
  if (debuggee.failureAt(step) !== null) return scopesOfFailure(parts, step, signal);
  const count = await debuggee.count(step, signal);
  const scopes = [scopeOf(parts, titled('Rows after this clause', stage, count), afterRows(parts, step, count), false)];
  const before = step.plan.stages[step.index - 1];
  const operands = setOperands(step.plan, step.index);
  if (operands !== null) scopes.push(...(await operandScopes(parts, step, operands, count, signal)));
  else if (before !== undefined) {
    const earlier = await debuggee.count({ plan: step.plan, index: step.index - 1 }, signal);
    scopes.push(scopeOf(parts, titled('Rows before', before, earlier), plainRows(parts, before, earlier), true));
    scopes.push(...(await changes(parts, step, before, { before: earlier, after: count }, signal)));
  }
  const outer = outerScope(parts, step);
  if (outer !== null) scopes.push(outer);
  const tables = tablesScope(parts, stage);
  if (tables !== null) scopes.push(tables);
  return scopes;
}

/** At a clause that does not run: what came to it. */
async function scopesOfFailure(parts: ScopeParts, step: Step, signal: CancelSignal): Promise<Scope[]> {
  const before = step.plan.stages[step.index - 1];
  const outer = outerScope(parts, step);
  const scopes = outer === null ? [] : [outer];
  if (before === undefined) return scopes;
  const count = await parts.debuggee.count({ plan: step.plan, index: step.index - 1 }, signal);
  scopes.unshift(scopeOf(parts, titled('Rows before', before, count), plainRows(parts, before, count), false));
  const tables = tablesScope(parts, before);
  return tables === null ? scopes : [...scopes, tables];
}

/** The scope of a whole query: its result; none where it does not run. */
export async function resultScope(parts: ScopeParts, { plan }: Step, signal: CancelSignal): Promise<Scope[]> {
  const last = plan.stages.at(-1);
  if (last === undefined || parts.debuggee.failureAt({ plan, index: plan.stages.length - 1, outer: null, behind: 0 }))
    return [];
  const known = parts.debuggee.counted(last);
  const size =
    known === undefined ? await parts.debuggee.count({ plan, index: plan.stages.length - 1 }, signal) : known;
  return [scopeOf(parts, titled('Result', last, size), plainRows(parts, last, size), true)];
}

function titled(title: string, stage: StagePlan, count: number | null): string {
  return `${title} (${count === null ? '?' : countWords(count, stage)})`;
}

function scopeOf({ handles }: ScopeParts, name: string, container: Container, expensive: boolean): Scope {
  const size = container.size ?? null;
  const base = { name, variablesReference: handles.add(container), expensive };
  return size === null ? base : { ...base, indexedVariables: size, namedVariables: 0 };
}

/** The rows of a clause; each can be followed where it has a key. */
function afterRows(parts: ScopeParts, step: Step, size: number | null): Container {
  const stage = stageOf(step);
  const keyed = keyedRows(stage);
  if (keyed === null) return plainRows(parts, stage, size);
  const hidden = keyed.keys.reduce((sum, key) => sum + key.expressions.length, 0);
  const read = reader(parts, (page) => keyed.sql(page));
  const rows = rowsContainer(parts.handles, { size, read, truths: [], hidden });
  return {
    ...rows,
    async follow(name, signal) {
      const index = /^\[(\d+)\]$/.exec(name)?.[1];
      if (index === undefined) return null;
      const row = (await read(Number(index), 1, signal)).rows[0];
      if (row === undefined) return null;
      let at = row.length - hidden;
      const keys = keyed.keys.map(({ alias, columns, expressions }): FollowedKey => {
        const cells = row.slice(at, at + expressions.length);
        at += expressions.length;
        return { alias, columns, cells };
      });
      // Where an outer join found no row there is nothing to follow.
      const real = keys.filter(({ cells }) => cells.some((cell) => cell !== null));
      return real.length === 0 ? null : parts.followRow(step, real);
    },
  };
}

function plainRows(parts: ScopeParts, stage: StagePlan, size: number | null): Container {
  const read = reader(parts, (page) => stageRowsSql(stage, page));
  return rowsContainer(parts.handles, { size, read, truths: [], hidden: 0 });
}

function reader({ debuggee }: ScopeParts, sql: (page: Page) => string) {
  return (start: number, count: number, signal: CancelSignal) =>
    debuggee.rows(sql({ offset: start, limit: count }), count, signal);
}

/** What a set operation puts together, and what it takes away and adds. */
async function operandScopes(
  parts: ScopeParts,
  step: Step,
  operands: SetOperands,
  after: number | null,
  signal: CancelSignal,
): Promise<Scope[]> {
  const { debuggee } = parts;
  const stage = stageOf(step);
  const [left, right] = [
    await debuggee.count(operands.leftStep, signal),
    await debuggee.count(operands.rightStep, signal),
  ];
  const scopes = [
    scopeOf(parts, titled('Rows before', operands.left, left), plainRows(parts, operands.left, left), true),
    scopeOf(parts, titled(`${stage.label} with`, operands.right, right), plainRows(parts, operands.right, right), true),
  ];
  const width = (await debuggee.columns(stage, signal)).length;
  const lost = lostBySetOperation(operands, stage, width);
  if (lost !== null) {
    const fromRight = stage.label === 'UNION' ? right : 0;
    const all = left === null || fromRight === null ? null : left + fromRight;
    const size = difference({ before: all, after });
    scopes.push(scopeOf(parts, titled('Lost here', stage, size), changedRows(parts, step, lost, size), true));
  }
  const added = addedBySetOperation(operands, stage, width);
  if (added !== null) {
    const size = stage.label === 'UNION ALL' ? right : null;
    const title = size === null ? 'Added here' : titled('Added here', stage, size);
    scopes.push(scopeOf(parts, title, changedRows(parts, step, added, size), true));
  }
  return scopes;
}

interface Counts {
  readonly before: number | null;
  readonly after: number | null;
}

async function changes(parts: ScopeParts, step: Step, before: StagePlan, counts: Counts, signal: CancelSignal) {
  const stage = stageOf(step);
  const scopes: Scope[] = [];
  const width = stage.clause === 'DISTINCT' ? (await parts.debuggee.columns(before, signal)).length : 0;
  const lost = lostRows(before, stage, width);
  if (lost !== null) {
    const size = lost.isDifference ? difference(counts) : null;
    const title = lost.isDifference ? titled('Lost here', before, size) : 'Lost here';
    scopes.push(scopeOf(parts, title, changedRows(parts, step, lost, size), true));
  }
  const added = addedRows(before, stage);
  if (added !== null) scopes.push(scopeOf(parts, 'Added here', changedRows(parts, step, added, null), true));
  return scopes;
}

function difference({ before, after }: Counts): number | null {
  return before === null || after === null ? null : Math.max(0, before - after);
}

function changedRows(parts: ScopeParts, { plan }: Step, changed: ChangedRows, size: number | null): Container {
  const truths = changed.truths.map(({ offset, length }) => plan.text.slice(offset, offset + length));
  const { named, hidden } = changed;
  const page = reader(parts, (wanted) => changed.sql(wanted));
  const read = async (start: number, count: number, signal: CancelSignal) => {
    const { columns, rows } = await page(start, count, signal);
    if (named === null) return { columns, rows };
    return { columns: [...(await parts.debuggee.columns(named, signal)), ...columns.slice(-hidden)], rows };
  };
  return rowsContainer(parts.handles, { size, read, truths, hidden });
}

/** The row of the outer query that a correlated subquery is shown for. */
function outerScope(parts: ScopeParts, { plan }: Step): Scope | null {
  if (plan.correlation === null) return null;
  const named = async (signal: CancelSignal): Promise<Variable[]> => {
    const choice = await parts.outerRows.current(parts.debuggee, plan, signal);
    if (choice === null) return [valueVariable('none', 'The outer query has no rows.')];
    return choice.row.flatMap(({ alias, key }, index) => {
      const columns = plan.correlation?.keys[index]?.columns ?? [];
      return key.map((cell, at) =>
        cellVariable(alias === 'group' ? (columns[at] ?? '') : `${alias}.${columns[at]}`, cell),
      );
    });
  };
  return scopeOf(parts, 'Outer row', { named }, false);
}

function tablesScope(parts: ScopeParts, stage: StagePlan): Scope | null {
  const keys = (stage.level === 'groups' ? stage.rowKeys : stage.keys).filter(({ table }) => table !== null);
  if (keys.length === 0) return null;
  const named = async (signal: CancelSignal): Promise<Variable[]> => {
    const variables: Variable[] = [];
    for (const { alias, table } of keys) variables.push(await tableVariable(parts, alias, table ?? '', signal));
    return variables;
  };
  return scopeOf(parts, 'Tables', { named }, true);
}

async function tableVariable(parts: ScopeParts, alias: string, table: string, signal: CancelSignal): Promise<Variable> {
  const { debuggee, handles } = parts;
  const name = quoteIdentifier(table);
  const counted = await debuggee.rows(`SELECT count(*) FROM ${name}`, 1, signal);
  const size = Number(counted.rows[0]?.[0] ?? 0);
  const read = reader(parts, ({ offset, limit }) => `SELECT * FROM ${name} LIMIT ${limit} OFFSET ${offset}`);
  const container = rowsContainer(handles, { size, read, truths: [], hidden: 0 });
  const isAliased = alias.toLowerCase() !== table.toLowerCase();
  return {
    name: alias,
    value: `${isAliased ? `${table}, ` : ''}${size.toLocaleString('en-US')} row${size === 1 ? '' : 's'}`,
    type: 'table',
    variablesReference: handles.add(container),
    indexedVariables: size,
    presentationHint: { attributes: ['readOnly'] },
  };
}

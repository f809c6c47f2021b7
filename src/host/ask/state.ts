import type { AskEvent, AskResult, Previous } from '../../protocol/ask.ts';
import type { Answer, EditedView, QueryOutcome, RunView } from '../../protocol/ask-panel.ts';
import type { WireError } from '../../protocol/errors.ts';
import type { GridColumn } from '../../protocol/grid.ts';
import type { QueryResult } from '../../protocol/query.ts';
import { type JsonCell, toJsonRows } from '../../protocol/value.ts';
import { shapesInWords } from './words.ts';

/** A question as it is put to the agent. */
export interface Question {
  question: string;
  evidence: string;
  previous: Previous | null;
  samples: number;
}

/** What one ask panel knows. Times are in milliseconds of one clock. */
export interface AskState {
  /** As the view gets it, but for the running times, which `runAt` sets. */
  run: RunView | null;
  /** Samples of the run, to ask it again. */
  samples: number;
  startedAt: number;
  phaseAt: number;
  edited: EditedView | null;
  /** Numbers the results of edited SQL. */
  edits: number;
  /** Rows of the results that are shown, by the id of their table. */
  rows: Readonly<Record<string, JsonCell[][]>>;
}

/** What happens to a panel. `at`: when. */
export type AskAction =
  | { type: 'asked'; at: number; question: Question }
  | { type: 'event'; at: number; event: AskEvent }
  | { type: 'failed'; at: number; error: WireError }
  | { type: 'stopping' }
  | { type: 'sqlStarted'; sql: string }
  | { type: 'sqlEnded'; result: QueryResult }
  | { type: 'sqlFailed'; error: WireError }
  | { type: 'sqlDiscarded' };

export const EMPTY: AskState = {
  run: null,
  samples: 1,
  startedAt: 0,
  phaseAt: 0,
  edited: null,
  edits: 0,
  rows: {},
};

/** True while the agent works. */
export function isRunning({ run }: AskState): boolean {
  return run?.status === 'running' || run?.status === 'stopping';
}

/** The run as it is at a time: with the times that run. */
export function runAt(state: AskState, now: number): RunView | null {
  const { run } = state;
  if (run === null || !isRunning(state)) return run;
  const phase = run.phase === null ? null : { ...run.phase, elapsedMs: now - state.phaseAt };
  return { ...run, phase, elapsedMs: now - state.startedAt };
}

/** The state after an action. */
export function reduce(state: AskState, action: AskAction): AskState {
  switch (action.type) {
    case 'asked':
      return asked(state, action.question, action.at);
    case 'event':
      return isRunning(state) ? afterEvent(state, action.event, action.at) : state;
    case 'failed':
      return isRunning(state) ? failed(state, action.error, action.at) : state;
    case 'stopping':
      return isRunning(state) ? withRun(state, { status: 'stopping' }) : state;
    case 'sqlStarted':
      return startSql(state, action.sql);
    case 'sqlEnded':
      return endSql(state, action.result);
    case 'sqlFailed':
      if (action.error.code === 'cancelled') return dropEdited(state);
      return withEdited(state, { error: action.error });
    case 'sqlDiscarded':
      return dropEdited(state);
  }
}

function withRun(state: AskState, change: Partial<RunView>): AskState {
  return state.run === null ? state : { ...state, run: { ...state.run, ...change } };
}

function asked(state: AskState, { question, evidence, previous, samples }: Question, at: number): AskState {
  const run: RunView = {
    id: (state.run?.id ?? 0) + 1,
    question,
    evidence,
    previous,
    status: 'running',
    phase: { name: 'starting', detail: null, elapsedMs: 0 },
    elapsedMs: 0,
    linked: null,
    turns: [],
    live: null,
    notes: [],
    answer: null,
    error: null,
  };
  return { ...EMPTY, run, samples, startedAt: at, phaseAt: at, edits: state.edits };
}

function afterEvent(state: AskState, event: AskEvent, at: number): AskState {
  const { run } = state;
  if (run === null) return state;
  switch (event.type) {
    case 'phase': {
      const phase = { name: event.phase, detail: event.detail, elapsedMs: 0 };
      const phaseAt = run.phase?.name === event.phase ? state.phaseAt : at;
      return { ...withRun(state, { phase }), phaseAt };
    }
    case 'linked':
      return withRun(state, { linked: event.linked });
    case 'token': {
      const before = run.live?.turn === event.turn ? run.live.text : '';
      return withRun(state, { live: { turn: event.turn, text: before + event.text } });
    }
    case 'turn':
      return withRun(state, { turns: [...run.turns, event.turn], live: null });
    case 'note':
      return withRun(state, { notes: [...new Set([...run.notes, event.text])] });
    case 'result':
      return answered(state, run, event.result);
    case 'failed':
      return failed(state, event.error, at);
  }
}

function failed(state: AskState, error: WireError, at: number): AskState {
  const ended = { phase: null, live: null, elapsedMs: at - state.startedAt };
  if (error.code === 'cancelled') return withRun(state, { ...ended, status: 'stopped' });
  return withRun(state, { ...ended, status: 'failed', error });
}

function outcomeOf(
  result: Omit<QueryOutcome, 'table'> & { truncated: boolean },
  id: string,
  columns: GridColumn[],
  rows: readonly unknown[],
): QueryOutcome {
  const { status, code, message, position, truncated, ms } = result;
  const table = status === 'ok' ? { id, columns, rows: rows.length, truncated } : null;
  return { status, code, message, position, table, ms };
}

function answered(state: AskState, run: RunView, result: AskResult): AskState {
  const ended: Partial<RunView> = {
    turns: result.turns,
    linked: result.linked,
    notes: [...new Set([...run.notes, ...result.notes])],
    phase: null,
    live: null,
    elapsedMs: result.ms,
  };
  // Stopped before there was anything to show.
  if (result.stop === 'cancelled' && result.sql === null) return withRun(state, { ...ended, status: 'stopped' });
  const id = `run-${run.id}`;
  const columns = result.columns.map((name) => ({ name, declared: null }));
  const outcome = outcomeOf({ ...result, ms: null }, id, columns, result.rows);
  const { sql, protocol, signals, vote, model, stop } = result;
  const answer: Answer = { sql, protocol, signals, vote, model, stop, outcome, words: shapesInWords(signals) };
  return { ...withRun(state, { ...ended, status: 'done', answer }), rows: { ...state.rows, [id]: result.rows } };
}

function editedId(edits: number): string {
  return `edited-${edits}`;
}

function dropEdited(state: AskState): AskState {
  const { [editedId(state.edits)]: _dropped, ...rows } = state.rows;
  return { ...state, edited: null, rows };
}

function withEdited(state: AskState, change: Partial<EditedView>): AskState {
  return state.edited === null ? state : { ...state, edited: { ...state.edited, ...change } };
}

function startSql(state: AskState, sql: string): AskState {
  return { ...dropEdited(state), edits: state.edits + 1, edited: { sql, outcome: null, notes: [], error: null } };
}

function endSql(state: AskState, result: QueryResult): AskState {
  if (state.edited === null) return state;
  const id = editedId(state.edits);
  const columns = result.columns.map((name, index) => ({ name, declared: result.origins[index]?.declared ?? null }));
  const outcome = outcomeOf(result, id, columns, result.rows);
  const changed = withEdited(state, { outcome, notes: result.notes });
  return { ...changed, rows: { ...state.rows, [id]: toJsonRows(result.rows) } };
}

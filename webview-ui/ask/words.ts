import type { StopReason, Turn, TurnAction } from '../../src/protocol/ask.ts';
import type { AskPanelState, Phase, QueryOutcome, RunView } from '../../src/protocol/ask-panel.ts';
import type { QueryStatus } from '../../src/protocol/query.ts';
import { countInWords } from '../shared/format.ts';

/** What the agent does, in words. */
export function phaseInWords({ name }: Phase): string {
  const words: Record<Phase['name'], string> = {
    starting: 'Starting',
    schema: 'Reading the schema',
    values: 'Looking through cell values',
    loading: 'Loading the model',
    prompting: 'Reading the prompt',
    generating: 'Writing',
    querying: 'Running the query',
  };
  return words[name];
}

/** What a turn did, in a word or two. */
export function actionInWords(action: TurnAction): string {
  const words: Record<TurnAction, string> = {
    inspect: 'Looked at a table',
    add_table: 'Asked for a table',
    query: 'Ran a query',
    final: 'Answered',
    invalid: 'Reply without an action',
  };
  return words[action];
}

/** How a query ended where it did not end well. */
export function statusInWords(status: QueryStatus): string {
  const words: Record<QueryStatus, string> = {
    ok: 'Ran',
    rejected: 'Refused',
    error: 'Error',
    timeout: 'Took too long',
    oom: 'Needs too much memory',
    cancelled: 'Stopped',
  };
  return words[status];
}

/** Why a run ended, where that is not the usual reason. */
export function stopInWords(stop: StopReason): string | null {
  const words: Record<StopReason, string | null> = {
    final: null,
    budget: 'The model used up its turns; this is its last query',
    no_sql: 'The model wrote no SQL',
    provider_error: 'The model failed',
    cancelled: 'Stopped',
  };
  return words[stop];
}

/** How a turn was asked, where that is not the usual way; '' where it is. */
export function wayInWords({ sample, repairs }: Pick<Turn, 'sample' | 'repairs'>): string {
  if (repairs === true) return 'shown its error';
  return sample === null ? '' : `temperature ${sample.temperature}, seed ${sample.seed}`;
}

/** What came of a turn: rows, an error. */
export function turnResult({ status, rows, error }: Turn): string | null {
  if (error !== null) return statusInWords(status ?? 'error').toLowerCase();
  return rows === null ? null : countInWords(rows, 'row');
}

/** The size of a result: `5 rows`, `the first 1,000 rows`. */
export function rowsOf({ table }: QueryOutcome): string {
  if (table === null) return 'no rows';
  const rows = countInWords(table.rows, 'row');
  return table.truncated ? `the first ${rows}, there are more` : rows;
}

/** What a screen reader is told when the state changes; '' where there is nothing new to tell. */
export function announcement(before: RunView | null, { run }: AskPanelState): string {
  if (run === null) return '';
  if (before?.id === run.id && before.status === run.status) {
    const last = run.turns.at(-1);
    if (last !== undefined && run.turns.length > before.turns.length) {
      const result = turnResult(last);
      return `Turn ${last.index}: ${actionInWords(last.action)}${result === null ? '' : `, ${result}`}.`;
    }
    if (run.phase !== null && run.phase.name !== before.phase?.name) return `${phaseInWords(run.phase)}.`;
    return '';
  }
  switch (run.status) {
    case 'running':
      return 'The question was sent.';
    case 'stopping':
      return 'Stopping.';
    case 'stopped':
      return 'Stopped.';
    case 'interrupted':
      return 'The question was interrupted.';
    case 'failed':
      return `It failed: ${run.error?.message ?? 'unknown error'}`;
    case 'done': {
      const { answer } = run;
      if (answer === null) return 'It ended without an answer.';
      if (answer.outcome.status !== 'ok') return `${statusInWords(answer.outcome.status)}: ${answer.outcome.message}`;
      const agrees = answer.signals.agrees === false ? ' Its shape differs from the one expected.' : '';
      return `Answer: ${rowsOf(answer.outcome)}.${agrees}`;
    }
  }
}

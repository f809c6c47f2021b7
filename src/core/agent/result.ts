import type { AskResult } from '../../protocol/ask.ts';
import type { QueryStatus } from '../../protocol/query.ts';
import { expectedShape } from '../signals/expected-shape.ts';
import { signalsOf } from '../signals/signals.ts';
import type { AgentOutcome, AgentSetup, Candidate } from './setup.ts';

type Ending = Pick<AskResult, 'status' | 'code' | 'message' | 'position'>;

function withoutResult({ stop, error }: Candidate): Ending {
  const said = (status: QueryStatus, code: string, message: string): Ending => ({
    status,
    code,
    message,
    position: null,
  });
  if (stop === 'cancelled') return said('cancelled', 'cancelled', 'The question was cancelled.');
  if (error) return said('error', error.code, error.message);
  return said('error', 'no_sql', 'The model gave no SQL. Ask again in other words, or with a larger model.');
}

function endingOf(answer: Candidate): Ending {
  if (answer.stop === 'cancelled' || answer.result === null) return withoutResult(answer);
  const { status, code, message, position } = answer.result;
  return { status, code, message, position };
}

/**
 * What the user is told of a run of the agent. The expected shape is the model's, else that of the rules over the
 * question.
 *
 * @param ms the time of the whole question in milliseconds
 */
export function resultOf(setup: AgentSetup, outcome: AgentOutcome, notes: readonly string[], ms: number): AskResult {
  const { answer, turns, linked, vote } = outcome;
  const { question, evidence, protocol, model } = setup;
  const shown = answer.stop === 'cancelled' ? null : answer.result;
  return {
    question,
    evidence,
    sql: answer.sql,
    ...endingOf(answer),
    columns: shown?.columns ?? [],
    rows: shown?.rows ?? [],
    truncated: shown?.truncated ?? false,
    protocol,
    turns,
    linked,
    signals: signalsOf(answer.expected ?? expectedShape(question), shown),
    vote,
    model,
    stop: answer.stop,
    notes: [...new Set([...notes, ...outcome.notes])],
    ms,
  };
}

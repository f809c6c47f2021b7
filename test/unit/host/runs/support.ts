import { entryOfLine, type RunEntry } from '../../../../src/host/runs/entry.ts';
import type { RunConfig } from '../../../../src/protocol/ledger.ts';
import { evalEntry, evalLine } from '../../ledger/support/entry.ts';

/** The configuration of the evaluations that tests make. */
export const config: RunConfig = evalEntry('run').config;

/** A recorded run with what a test is about. @param day of November 2026 on which it began */
export function runOn(day: number, id: string, changes: Partial<RunEntry> = {}): RunEntry {
  const started = `2026-11-${String(day).padStart(2, '0')}T10:00:00.000Z`;
  return { ...entryOfLine(evalLine(id, { started }), '/results'), ...changes };
}

/** A share as the ledger has it. */
export function share(right: number, of: number): RunEntry['share'] {
  return { right, of, low: 0.2, high: 0.8 };
}

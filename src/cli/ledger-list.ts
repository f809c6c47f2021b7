import { flatTraining } from '../core/ledger/flat-training.ts';
import { RUN_COLUMNS, runCells } from '../core/ledger/run-cells.ts';
import { TRAINING_COLUMNS, trainingCells } from '../core/ledger/training-cells.ts';
import { countOf } from '../core/signals/describe.ts';
import { displayWidth, pad } from '../core/text/cells.ts';
import { count } from '../protocol/figures.ts';
import type { Ledger } from '../runtime/store/ledger.ts';
import { renderTable } from './table.ts';
import { EXIT, type ExitCode, type Output } from './verb.ts';

/** Columns that are shown whole; the others are clipped where the terminal is narrow. */
const WHOLE = 3;
const GAP = '  ';
const LEAST_WIDTH = 30;

/** A table whose first columns are never clipped: an id or a number that is cut is of no use. */
function tableOf(names: readonly string[], cells: readonly string[][], width: number): string {
  const part = (from: number, to: number | undefined, columns: number) =>
    renderTable(
      names.slice(from, to),
      cells.map((row) => row.slice(from, to)),
      columns,
    ).split('\n');
  const left = part(0, WHOLE, Number.MAX_SAFE_INTEGER);
  const taken = left.reduce((widest, line) => Math.max(widest, displayWidth(line)), 0);
  const right = part(WHOLE, undefined, Math.max(LEAST_WIDTH, width - taken - GAP.length));
  return right.map((line, index) => `${pad(left[index] ?? '', taken, false)}${GAP}${line}`.trimEnd()).join('\n');
}

/** Says of a ledger's lines that cannot be read that there are some. */
export function noteProblems(out: Output, problems: readonly string[]): void {
  if (problems.length === 0) return;
  const lines = `${countOf(problems.length, 'line')} of the ledger cannot be read`;
  out.log(`note: ${lines}. "sql-agent ledger verify" says which and why.`);
}

/** `ledger list`: the newest runs. @param limit null: all */
export async function listRuns(ledger: Ledger, out: Output, limit: number | null): Promise<ExitCode> {
  const { rows, total, problems } = await ledger.list(limit);
  if (total === 0) out.line(`No runs in ${ledger.path} yet. "sql-agent eval" makes one.`);
  else out.line(tableOf(RUN_COLUMNS, rows.map(runCells), out.width));
  if (rows.length < total) out.line(`\nThe newest ${count(rows.length)} of ${count(total)} runs; --limit 0 shows all.`);
  const { length: trainings } = await ledger.trainings();
  if (trainings > 0)
    out.line(`\n${countOf(trainings, 'training run')} besides; "sql-agent ledger list --training" shows them.`);
  noteProblems(out, problems);
  out.json({ status: 'ok', ledger: ledger.path, total, runs: rows, trainings, problems });
  return EXIT.ok;
}

/** `ledger list --training`: the newest training runs. @param limit null: all */
export async function listTrainings(ledger: Ledger, out: Output, limit: number | null): Promise<ExitCode> {
  const all = (await ledger.trainings()).map(({ line }) => line);
  const lines = all.slice(0, limit ?? all.length);
  if (all.length === 0) out.line(`No training runs in ${ledger.path} yet. "sql-agent train" makes one.`);
  else out.line(tableOf(TRAINING_COLUMNS, lines.map(trainingCells), out.width));
  if (lines.length < all.length)
    out.line(`\nThe newest ${count(lines.length)} of ${count(all.length)} runs; --limit 0 shows all.`);
  out.json({ status: 'ok', ledger: ledger.path, total: all.length, runs: lines.map(flatTraining) });
  return EXIT.ok;
}

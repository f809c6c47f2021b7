import { realpath } from 'node:fs/promises';
import { inline } from '../core/evals/report/markdown.ts';
import { type FlatRun, flatRun } from '../core/ledger/flat-run.ts';
import { flatTraining } from '../core/ledger/flat-training.ts';
import { RUN_COLUMNS, runCells } from '../core/ledger/run-cells.ts';
import { toRunRow } from '../core/ledger/run-row.ts';
import { TRAINING_COLUMNS, trainingCells } from '../core/ledger/training-cells.ts';
import { countOf } from '../core/signals/describe.ts';
import { toSeparated } from '../protocol/cell-text.ts';
import { AppError } from '../protocol/errors.ts';
import type { EvalLine, TrainLine } from '../protocol/ledger.ts';
import type { Ledger, TextLine } from '../runtime/store/ledger.ts';
import { writeWhole } from '../runtime/write-whole.ts';
import { noteProblems } from './ledger-list.ts';
import { EXIT, type ExitCode, type Output } from './verb.ts';

export const EXPORT_FORMATS = ['csv', 'jsonl', 'markdown'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

function exportUnwritable(path: string, reason: string): AppError {
  return new AppError('export_unwritable', `The file ${path} cannot be written (${reason}). Name another with --out.`, {
    path,
    reason,
  });
}

/** What an export has of one kind of run. */
interface Form<T> {
  flat(line: T): FlatRun;
  columns: readonly string[];
  cells(line: T): string[];
}

const EVALUATIONS: Form<EvalLine> = { flat: flatRun, columns: RUN_COLUMNS, cells: (line) => runCells(toRunRow(line)) };
const TRAININGS: Form<TrainLine> = { flat: flatTraining, columns: TRAINING_COLUMNS, cells: trainingCells };

function csvOf(rows: readonly FlatRun[]): string {
  const columns = Object.keys(rows[0] ?? {});
  if (columns.length === 0) return '';
  return `${toSeparated(
    columns,
    rows.map((row) => columns.map((column) => row[column] ?? null)),
    ',',
  )}\r\n`;
}

function markdownRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function markdownOf(columns: readonly string[], cells: readonly string[][]): string {
  const rows = cells.map((row) => row.map(inline));
  return `${[columns, columns.map(() => '---'), ...rows].map(markdownRow).join('\n')}\n`;
}

function textIn<T>(format: ExportFormat, runs: readonly TextLine<T>[], { flat, columns, cells }: Form<T>): string {
  if (format === 'jsonl') return runs.map(({ text }) => `${text}\n`).join('');
  const lines = runs.map(({ line }) => line);
  return format === 'csv' ? csvOf(lines.map(flat)) : markdownOf(columns, lines.map(cells));
}

async function write(path: string, text: string, ledger: Ledger): Promise<void> {
  const real = (file: string) => realpath(file).catch(() => file);
  if ((await real(path)) === (await real(ledger.path))) throw exportUnwritable(path, 'it is the ledger itself');
  try {
    await writeWhole(path, text);
  } catch (error) {
    throw exportUnwritable(path, error instanceof Error ? error.message : String(error));
  }
}

/** Where an export goes, and how. */
export interface ExportWish {
  format: ExportFormat;
  /** null: standard output. */
  path: string | null;
  /** Training runs in place of evaluations. */
  training: boolean;
}

/** `ledger export`: the last line of each run, oldest first. */
export async function exportRuns(ledger: Ledger, out: Output, wish: ExportWish): Promise<ExitCode> {
  if (wish.training) return await exportForm(ledger, out, wish, TRAININGS, await ledger.trainings(), []);
  const { runs, problems } = await ledger.readTexts();
  return await exportForm(ledger, out, wish, EVALUATIONS, runs, problems);
}

async function exportForm<T>(
  ledger: Ledger,
  out: Output,
  { format, path }: ExportWish,
  form: Form<T>,
  runs: readonly TextLine<T>[],
  problems: readonly string[],
): Promise<ExitCode> {
  noteProblems(out, problems);
  const oldestFirst = runs.toReversed();
  if (path === null) {
    out.write(textIn(format, oldestFirst, form));
    out.json({ status: 'ok', ledger: ledger.path, runs: oldestFirst.map(({ line }) => form.flat(line)), problems });
    return EXIT.ok;
  }
  await write(path, textIn(format, oldestFirst, form), ledger);
  out.line(`${countOf(runs.length, 'run')} written to ${path}.`);
  out.json({ status: 'ok', ledger: ledger.path, format, out: path, count: runs.length, problems });
  return EXIT.ok;
}

import { realpath } from 'node:fs/promises';
import { inline } from '../core/evals/report/markdown.ts';
import { flatRun } from '../core/ledger/flat-run.ts';
import { RUN_COLUMNS, runCells } from '../core/ledger/run-cells.ts';
import { toRunRow } from '../core/ledger/run-row.ts';
import { countOf } from '../core/signals/describe.ts';
import { toSeparated } from '../protocol/cell-text.ts';
import { AppError } from '../protocol/errors.ts';
import type { EvalLine } from '../protocol/ledger.ts';
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

function csvOf(lines: readonly EvalLine[]): string {
  const rows = lines.map(flatRun);
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

function markdownOf(lines: readonly EvalLine[]): string {
  const rows = lines.map((line) => runCells(toRunRow(line)).map(inline));
  return `${[RUN_COLUMNS, RUN_COLUMNS.map(() => '---'), ...rows].map(markdownRow).join('\n')}\n`;
}

function textIn(format: ExportFormat, runs: readonly TextLine[]): string {
  if (format === 'jsonl') return runs.map(({ text }) => `${text}\n`).join('');
  const lines = runs.map(({ line }) => line);
  return format === 'csv' ? csvOf(lines) : markdownOf(lines);
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

/** `ledger export`: the last line of each run, oldest first. @param path null: standard output */
export async function exportRuns(
  ledger: Ledger,
  out: Output,
  format: ExportFormat,
  path: string | null,
): Promise<ExitCode> {
  const { runs, problems } = await ledger.readTexts();
  noteProblems(out, problems);
  const oldestFirst = runs.toReversed();
  if (path === null) {
    out.write(textIn(format, oldestFirst));
    out.json({ status: 'ok', ledger: ledger.path, runs: oldestFirst.map(({ line }) => flatRun(line)), problems });
    return EXIT.ok;
  }
  await write(path, textIn(format, oldestFirst), ledger);
  out.line(`${countOf(runs.length, 'run')} written to ${path}.`);
  out.json({ status: 'ok', ledger: ledger.path, format, out: path, count: runs.length, problems });
  return EXIT.ok;
}

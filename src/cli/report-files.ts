import { basename, dirname, resolve } from 'node:path';
import type { ReportDocument } from '../core/evals/report/document.ts';
import { toHtml } from '../core/evals/report/html.ts';
import { toMarkdown } from '../core/evals/report/markdown.ts';
import { AppError } from '../protocol/errors.ts';
import { ITEMS_FILE } from '../runtime/evals/eval-items.ts';
import { RUN_FILE } from '../runtime/evals/run-folder.ts';
import { makeFolderSync } from '../runtime/make-folder.ts';
import { LEDGER_FILE } from '../runtime/store/ledger.ts';
import { writeWhole } from '../runtime/write-whole.ts';
import { toTerminalText } from './report-text.ts';
import { fileOption, type VerbArgs, type VerbContext } from './verb.ts';

/** Where a report is written, as `report` and `compare` say it in their help. */
export const REPORT_OPTIONS = {
  results: { type: 'string' },
  markdown: { type: 'string' },
  html: { type: 'string' },
} as const;

/** The value of an option that stands for stdout. */
const STDOUT = '-';

/**
 * Writes a report where the options say: files, Markdown on stdout, or a page for the terminal where they say nothing.
 *
 * @returns paths of the files written
 * @throws AppError `report_unwritable`
 */
export async function writeReport({ out, cwd }: VerbContext, args: VerbArgs, page: ReportDocument): Promise<string[]> {
  const markdown = fileOption(args, 'markdown');
  const html = fileOption(args, 'html');
  const files: string[] = [];
  const write = async (name: string, text: string) => {
    const path = resolve(cwd, name);
    await writeText(path, text);
    files.push(path);
    out.log(`Wrote ${name}`);
  };
  if (markdown === STDOUT) out.write(toMarkdown(page));
  else if (markdown !== undefined) await write(markdown, toMarkdown(page));
  if (html !== undefined) await write(html, toHtml(page));
  if (markdown === undefined && html === undefined) out.line(toTerminalText(page, out.width));
  return files;
}

/** What a report is made from. */
const OWN_FILES: readonly string[] = [LEDGER_FILE, RUN_FILE, ITEMS_FILE];

async function writeText(path: string, text: string): Promise<void> {
  try {
    if (OWN_FILES.includes(basename(path))) throw new Error('it would take the place of a file of a run');
    makeFolderSync(dirname(path));
    await writeWhole(path, text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('report_unwritable', `${path} cannot be written (${reason}). Name another file.`, {
      path,
      reason,
    });
  }
}

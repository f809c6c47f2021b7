import { resolve } from 'node:path';
import { runDocument } from '../../core/evals/report/run-document.ts';
import { reportOf } from '../../core/evals/report/run-report.ts';
import type { WhatGoesWrong } from '../../core/evals/report/what-goes-wrong.ts';
import { diagnoseRun, failingOf } from '../../runtime/diagnose/diagnose-run.ts';
import { RunItems } from '../../runtime/diagnose/run-items.ts';
import { resultsFolder } from '../../runtime/evals/results-folder.ts';
import { type LoadedRun, loadRun } from '../../runtime/evals/run-of.ts';
import { SandboxPool } from '../../runtime/sandbox/pool.ts';
import { Ledger } from '../../runtime/store/ledger.ts';
import { REPORT_OPTIONS, writeReport } from '../report-files.ts';
import { ScoreProgress } from '../score-progress.ts';
import {
  EXIT,
  type ExitCode,
  fileOption,
  integerOption,
  stringOption,
  UsageError,
  type Verb,
  type VerbArgs,
  type VerbContext,
} from '../verb.ts';

const HELP = `Usage: sql-agent report RUN [options]

What an evaluation found: execution accuracy under each metric with its Wilson interval, answers that official_ex credits
and strict_ex does not, errors by kind, schema linking, tokens, turns and time, all by database and by difficulty, the
configuration, and the items that are not right. The figures are those of the ledger; a run whose file of items was
changed since is reported with a warning.

Arguments:
  RUN                a run id, a part of one that no other has, "latest", "latest~1" for the one before, or the path of
                     a run's folder (of a run that is going on or was killed, too)

Options:
  --markdown [FILE]  Markdown into FILE, or to stdout
  --html FILE        one page with drawings into FILE: no script, nothing loaded, light and dark
  --failing N        most items that are not right to show (default 100)
  --diagnose         what goes wrong: the likeliest error of each failing item, counted, each leading to its items
  --db-root DIR      with --diagnose: folder of databases to look in first (default: where the run had them)
  --results DIR      folder of the runs and their ledger (default: SQL_AGENT_RESULTS, else results)
  --json             one JSON object with all figures and every item that is not right

Examples:
  sql-agent report latest
  sql-agent report 4f2a --html report.html --markdown report.md`;

const FAILING = 100;

async function run(context: VerbContext, args: VerbArgs): Promise<ExitCode> {
  const [named, ...rest] = args.positionals;
  if (named === undefined || rest.length > 0)
    throw new UsageError('report takes one run: sql-agent report RUN. "sql-agent ledger list" shows them.');
  const failing = integerOption(args, 'failing', 0, 1_000_000) ?? FAILING;
  const { out, env, cwd } = context;
  const ledger = new Ledger(resultsFolder(stringOption(args, 'results'), env, cwd));
  const loaded = await loadRun(ledger, named, cwd);
  const { line, records, folder, notes } = loaded;
  for (const note of notes) out.log(`warning: ${note}`);
  const wrong = args.values['diagnose'] === true ? await diagnoseFailing(context, args, loaded) : null;
  const report = reportOf(line, records, notes, wrong);
  const files = await writeReport(context, args, runDocument(report, { failing }));
  out.json({ status: 'ok', folder, files, ...report });
  return EXIT.ok;
}

async function diagnoseFailing(
  { out, signal, cwd }: VerbContext,
  args: VerbArgs,
  loaded: LoadedRun,
): Promise<WhatGoesWrong> {
  const root = fileOption(args, 'db-root');
  const sandbox = new SandboxPool({ children: 2, spares: 0 });
  const progress = new ScoreProgress(
    {
      isTerminal: process.stderr.isTTY === true,
      write: (text) => process.stderr.write(text),
      line: (text) => out.log(text),
    },
    failingOf(loaded.records).length,
    () => performance.now(),
    'items diagnosed',
  );
  try {
    const items = new RunItems(loaded, root === undefined ? null : resolve(cwd, root));
    return await diagnoseRun(sandbox, items, loaded.records, () => progress.step(), signal);
  } finally {
    progress.end();
    await sandbox.dispose();
  }
}

/** `sql-agent report`: what an evaluation found, as a page. */
export const verb: Verb = {
  name: 'report',
  summary: 'report what an evaluation found, as text, Markdown or HTML',
  help: HELP,
  options: {
    ...REPORT_OPTIONS,
    failing: { type: 'string' },
    diagnose: { type: 'boolean' },
    'db-root': { type: 'string' },
  },
  optionalValues: ['markdown'],
  run,
};

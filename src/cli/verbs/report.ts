import { runDocument } from '../../core/evals/report/run-document.ts';
import { reportOf } from '../../core/evals/report/run-report.ts';
import { resultsFolder } from '../../runtime/evals/results-folder.ts';
import { loadRun } from '../../runtime/evals/run-of.ts';
import { Ledger } from '../../runtime/store/ledger.ts';
import { REPORT_OPTIONS, writeReport } from '../report-files.ts';
import {
  EXIT,
  type ExitCode,
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
  const { line, records, folder, notes } = await loadRun(ledger, named, cwd);
  for (const note of notes) out.log(`warning: ${note}`);
  const report = reportOf(line, records, notes);
  const files = await writeReport(context, args, runDocument(report, { failing }));
  out.json({ status: 'ok', folder, files, ...report });
  return EXIT.ok;
}

/** `sql-agent report`: what an evaluation found, as a page. */
export const verb: Verb = {
  name: 'report',
  summary: 'report what an evaluation found, as text, Markdown or HTML',
  help: HELP,
  options: { ...REPORT_OPTIONS, failing: { type: 'string' } },
  optionalValues: ['markdown'],
  run,
};

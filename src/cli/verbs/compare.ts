import { compareRuns } from '../../core/evals/compare.ts';
import { compareDocument } from '../../core/evals/compare-document.ts';
import { BinaryMetric } from '../../protocol/score.ts';
import { resultsFolder } from '../../runtime/evals/results-folder.ts';
import { loadRun } from '../../runtime/evals/run-of.ts';
import { Ledger } from '../../runtime/store/ledger.ts';
import { REPORT_OPTIONS, writeReport } from '../report-files.ts';
import {
  choiceOption,
  EXIT,
  type ExitCode,
  integerOption,
  stringOption,
  UsageError,
  type Verb,
  type VerbArgs,
  type VerbContext,
} from '../verb.ts';

const HELP = `Usage: sql-agent compare A B [options]

Whether run B is better than run A, on the items that both have finished and whose gold query runs: which items are gained
and lost, the exact McNemar p value, and the difference with its interval of 95 % (bootstrap clustered by database), all
by database and by difficulty. A is before, B is after.

Arguments:
  A, B               run ids, parts of them, "latest", "latest~1" …, or the paths of run folders

Options:
  --metric M         what "right" means: official_ex, strict_ex or spider_ex (default: the headline metric of A)
  --matching         of runs of different datasets, compare the items with the same id, database and gold
  --markdown [FILE]  Markdown into FILE, or to stdout
  --html FILE        one page with drawings into FILE
  --flips N          most gained and most lost items to show with their SQL (default 20)
  --results DIR      folder of the runs and their ledger (default: SQL_AGENT_RESULTS, else results)
  --json             one JSON object with all figures and every item that flipped

Examples:
  sql-agent compare latest~1 latest
  sql-agent compare 4f2a 91c0 --metric strict_ex --markdown comparison.md`;

const FLIPS = 20;

async function run(context: VerbContext, args: VerbArgs): Promise<ExitCode> {
  const [first, second, ...rest] = args.positionals;
  if (first === undefined || second === undefined || rest.length > 0)
    throw new UsageError('compare takes two runs: sql-agent compare A B. "sql-agent ledger list" shows them.');
  const metric = choiceOption(args, 'metric', BinaryMetric.options);
  const flips = integerOption(args, 'flips', 0, 1_000_000) ?? FLIPS;
  const { out, env, cwd } = context;
  const ledger = new Ledger(resultsFolder(stringOption(args, 'results'), env, cwd));
  const [a, b] = await Promise.all([loadRun(ledger, first, cwd), loadRun(ledger, second, cwd)]);
  const warnings = [...new Set([...a.notes, ...b.notes])];
  for (const warning of warnings) out.log(`warning: ${warning}`);
  const matching = args.values['matching'] === true;
  const compared = compareRuns(a, b, { matching, ...(metric === undefined ? {} : { metric }) });
  const comparison = { ...compared, notes: [...warnings, ...compared.notes] };
  const files = await writeReport(context, args, compareDocument(comparison, { flips }));
  out.json({ status: 'ok', files, ...comparison });
  return EXIT.ok;
}

/** `sql-agent compare`: two runs on the same items. */
export const verb: Verb = {
  name: 'compare',
  summary: 'compare two evaluations: gained, lost, and whether it is chance',
  help: HELP,
  options: { ...REPORT_OPTIONS, metric: { type: 'string' }, matching: { type: 'boolean' }, flips: { type: 'string' } },
  optionalValues: ['markdown'],
  run,
};

import { resolve } from 'node:path';
import { LinkMode } from '../protocol/catalog.ts';
import { DatasetFormat } from '../protocol/dataset.ts';
import { openEngine } from '../runtime/engine.ts';
import { chooseItems } from '../runtime/evals/choose-items.ts';
import { locateDatabases } from '../runtime/evals/databases.ts';
import { loadDataset } from '../runtime/evals/load-dataset.ts';
import { failuresOf } from '../runtime/evals/pairs/failures.ts';
import { resultsFolder } from '../runtime/evals/results-folder.ts';
import { type MadePairs, makePairs, type SkippedItem } from '../runtime/evals/training-pairs.ts';
import { storageFolder } from '../runtime/paths.ts';
import { Ledger } from '../runtime/store/ledger.ts';
import { choiceOf } from './eval-options.ts';
import { StepProgress } from './step-progress.ts';
import { typedPath } from './typed-path.ts';
import {
  choiceOption,
  EXIT,
  type ExitCode,
  fileOption,
  integerOption,
  type Output,
  stringOption,
  UsageError,
  type VerbArgs,
  type VerbContext,
} from './verb.ts';

const SHOWN = 5;

function tellSkipped(out: Output, skipped: readonly SkippedItem[]): void {
  if (skipped.length === 0) return;
  out.log(`note: ${skipped.length} of the dataset ${skipped.length === 1 ? 'is' : 'are'} left out:`);
  for (const { id, line, reason } of skipped.slice(0, SHOWN)) out.log(`  line ${line}, id ${id}: ${reason}`);
  if (skipped.length > SHOWN) out.log(`  and ${skipped.length - SHOWN} more (--json lists all)`);
}

/** How the pairs are made, by the options of a call. */
function settingsOf(args: VerbArgs) {
  const most = (name: string) => integerOption(args, name, 0, 1_000_000) ?? null;
  return {
    link: choiceOption(args, 'link', LinkMode.options) ?? 'auto',
    timeoutMs: integerOption(args, 'timeout-ms', 1, 86_400_000) ?? 30_000,
    oneStyle: args.values['one-style'] === true,
    mostTables: integerOption(args, 'max-tables', 1, 1_000_000) ?? null,
    seed: integerOption(args, 'seed', 0, 2 ** 32 - 1) ?? 0,
    phrasings: integerOption(args, 'phrasings', 0, 100) ?? 0,
    repairs: shareOption(args, 'repairs') ?? 0,
    bounds: { joins: most('max-joins'), answer: most('max-answer'), prompt: most('max-prompt') },
  };
}

/** A share as a number from 0 to 1 or in percent. @throws UsageError */
function shareOption(args: VerbArgs, name: string): number | undefined {
  const word = stringOption(args, name);
  if (word === undefined) return undefined;
  const isPercent = word.endsWith('%');
  const digits = isPercent ? word.slice(0, -1) : word;
  const number = Number(digits) / (isPercent ? 100 : 1);
  if (!/^(\d+(\.\d*)?|\.\d+)$/.test(digits) || number > 1)
    throw new UsageError(`--${name} takes a share of the questions, 0.15 or 15%, not "${word}".`);
  return number;
}

function describeMade({ written, phrased, repairs, unphrased }: MadePairs, path: string): string[] {
  if (written === 0) return ['No pair could be made, so no file is written.'];
  const parts = [
    ...(phrased > 0 ? [`${phrased} with the schema said otherwise`] : []),
    ...(repairs > 0 ? [`${repairs} with a query to be put right`] : []),
  ];
  const of = parts.length === 0 ? '' : `, ${parts.join(', ')}`;
  return [
    `${written} ${written === 1 ? 'pair' : 'pairs'} in ${path}${of}`,
    ...(unphrased > 0 ? [`${unphrased} phrasings left out: their query could not be said in other names`] : []),
  ];
}

/** `dataset pairs FILE --out FILE`: training data of the questions of a dataset. */
export async function datasetPairs(context: VerbContext, args: VerbArgs, file: string): Promise<ExitCode> {
  const { cwd, env, out, signal } = context;
  const [to, root] = [fileOption(args, 'out'), fileOption(args, 'db-root')];
  if (to === undefined) throw new UsageError('dataset pairs needs the file to write: --out pairs.jsonl.');
  const format = choiceOption(args, 'format', DatasetFormat.options);
  const dataset = await loadDataset(file, format === undefined ? {} : { format });
  const ledger = new Ledger(resultsFolder(fileOption(args, 'results'), env, cwd));
  const choice = await choiceOf(context, args);
  const { items, notes } = await chooseItems(dataset, choice, ledger, ['sql-agent', ...process.argv.slice(2)]);
  for (const note of notes) out.log(`note: ${note}`);
  const options = { dataset, root: root === undefined ? null : resolve(cwd, root), suite: false };
  const { pathsOf } = await locateDatabases(items, options);
  const engine = await openEngine({ storage: storageFolder(env), children: 2 });
  const progress = new StepProgress((text) => out.log(text));
  try {
    const request = {
      items,
      databaseOf: (item: (typeof items)[number]) => pathsOf(item)[0],
      ...settingsOf(args),
      wrongOfRun: await failuresOf(ledger, stringOption(args, 'from-run'), dataset.hash, cwd),
      out: resolve(cwd, to),
      onProgress: (done: number, total: number) => progress.show('pairs', done, total),
    };
    const made = await makePairs(engine, request, signal);
    tellSkipped(out, made.skipped);
    const path = typedPath(request.out, cwd);
    for (const line of describeMade(made, path)) out.line(line);
    if (made.written > 0)
      out.line(`Train on it: sql-agent train sft --base small --adapter small --lr 3e-4 --data ${path}`);
    if (made.repairs > 0)
      out.line('What is trained on it is shown the error of its query at the first retry, unless --no-repair is set.');
    out.json({ status: made.written > 0 ? 'ok' : 'empty', path: request.out, ...made });
    return made.written > 0 ? EXIT.ok : EXIT.failed;
  } finally {
    await engine.dispose();
  }
}

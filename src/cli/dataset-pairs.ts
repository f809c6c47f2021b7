import { resolve } from 'node:path';
import { LinkMode } from '../protocol/catalog.ts';
import { DatasetFormat } from '../protocol/dataset.ts';
import { openEngine } from '../runtime/engine.ts';
import { chooseItems } from '../runtime/evals/choose-items.ts';
import { locateDatabases } from '../runtime/evals/databases.ts';
import { loadDataset } from '../runtime/evals/load-dataset.ts';
import { resultsFolder } from '../runtime/evals/results-folder.ts';
import { makePairs, type SkippedItem } from '../runtime/evals/training-pairs.ts';
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
      link: choiceOption(args, 'link', LinkMode.options) ?? 'auto',
      timeoutMs: integerOption(args, 'timeout-ms', 1, 86_400_000) ?? 30_000,
      out: resolve(cwd, to),
      onProgress: (done: number, total: number) => progress.show('pairs', done, total),
    };
    const made = await makePairs(engine, request, signal);
    tellSkipped(out, made.skipped);
    const path = typedPath(request.out, cwd);
    out.line(`${made.written} ${made.written === 1 ? 'pair' : 'pairs'} in ${path}`);
    if (made.written > 0) out.line(`Train on it: sql-agent train sft --base small --adapter small --data ${path}`);
    out.json({ status: made.written > 0 ? 'ok' : 'empty', path: request.out, ...made });
    return made.written > 0 ? EXIT.ok : EXIT.failed;
  } finally {
    await engine.dispose();
  }
}

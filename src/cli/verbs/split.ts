import { resolve } from 'node:path';
import { makeSplits, type Part } from '../../core/evals/split.ts';
import { DatasetFormat, type Split, type SplitFile } from '../../protocol/dataset.ts';
import { type Dataset, loadDataset } from '../../runtime/evals/load-dataset.ts';
import { noSplitFile } from '../../runtime/evals/split-errors.ts';
import { fits, readSplitFile, sha256, splitsPath, writeSplitFile } from '../../runtime/evals/splits.ts';
import { renderTable } from '../table.ts';
import {
  choiceOption,
  EXIT,
  type ExitCode,
  fileOption,
  integerOption,
  type Output,
  UsageError,
  type Verb,
  type VerbArgs,
  type VerbContext,
} from '../verb.ts';

const HELP = `Usage: sql-agent split --dataset FILE --part NAME=SHARE [--part NAME=SHARE …] [options]
       sql-agent split --dataset FILE --list

Divides a dataset into named splits of about the shares given; no database is in two of them. The same dataset, parts
and seed give the same splits. They are kept beside the dataset, as <dataset without ending>.splits.json.

Options:
  --dataset FILE     the dataset
  --part NAME=SHARE  a split and its share of the items, such as dev=0.2; the shares add up to 1 at most, and what is left
                     over stays in no split
  --seed N           seed of the order of the databases (default 1)
  --seal NAME        seal this split: no verb reads its items without --open-sealed "reason", which the ledger records
  --out FILE         write to this file; verbs read splits only where they are kept
  --replace          replace a file that holds a sealed split
  --list             print the splits that there are
  --format F         bird, spider, jsonl, csv or suite, where content and name tell it wrongly
  --json             one JSON object: status, path, seed, dataset, splits

Examples:
  sql-agent split --dataset data/bird/train.json --part train=0.8 --part dev=0.1 --part test=0.1 --seal test
  sql-agent split --dataset data/bird/train.json --list`;

const LARGEST_SEED = 2 ** 32 - 1;

async function run(context: VerbContext, args: VerbArgs): Promise<ExitCode> {
  const file = fileOption(args, 'dataset');
  if (file === undefined || args.positionals.length > 0)
    throw new UsageError('split needs a dataset: sql-agent split --dataset FILE --part NAME=SHARE.');
  const words = wordsOf(args, 'part');
  const isList = args.values['list'] === true;
  if (isList === words.length > 0)
    throw new UsageError(isList ? '--list takes no --part.' : 'split needs a --part NAME=SHARE, or --list.');
  const parts = words.map(partOf);
  const seed = integerOption(args, 'seed', 0, LARGEST_SEED) ?? 1;
  const format = choiceOption(args, 'format', DatasetFormat.options);
  const out = fileOption(args, 'out');
  const dataset = await loadDataset(resolve(context.cwd, file), format === undefined ? {} : { format });
  const kept = splitsPath(dataset.path);
  const path = out === undefined ? kept : resolve(context.cwd, out);
  if (isList) return list(context.out, dataset, path);

  const splits = makeSplits(dataset.items, { parts, seed, sealed: wordsOf(args, 'seal') }, sha256);
  const made: SplitFile = { version: 1, dataset: { name: dataset.name, hash: dataset.hash }, seed, splits };
  const isReplaced = await writeSplitFile(path, made, args.values['replace'] === true);
  print(context.out, path, made, dataset);
  context.out.line(`\n${isReplaced ? 'Replaced' : 'Written to'} ${path}`);
  if (path !== kept) context.out.log(`note: verbs read the splits of this dataset from ${kept}.`);
  return EXIT.ok;
}

async function list(out: Output, dataset: Dataset, path: string): Promise<ExitCode> {
  const file = await readSplitFile(path);
  if (file === null) throw noSplitFile(path, dataset.path);
  print(out, path, file, dataset);
  if (!fits(file, dataset)) {
    out.log(`note: ${dataset.path} has changed since it was split; verbs refuse these splits.`);
    return EXIT.failed;
  }
  return EXIT.ok;
}

function print(out: Output, path: string, file: SplitFile, dataset: Dataset): void {
  const of = dataset.items.length;
  out.json({
    status: fits(file, dataset) ? 'ok' : 'stale',
    path,
    seed: file.seed,
    dataset: file.dataset,
    splits: file.splits.map((split) => ({ ...split, share: split.ids.length / of })),
  });
  const rows = file.splits.map(({ name, sealed, databases, ids, hash }: Split) => [
    name,
    sealed ? 'sealed' : '',
    databases.length,
    ids.length,
    `${((ids.length / of) * 100).toFixed(2)} %`,
    hash.slice(0, 16),
  ]);
  out.line(renderTable(['split', '', 'databases', 'items', 'share', 'hash'], rows, out.width));
  const left = of - file.splits.reduce((sum, { ids }) => sum + ids.length, 0);
  if (left > 0) out.line(`${left} of ${of} items are in no split.`);
}

/** The values of an option that may be given several times. */
function wordsOf(args: VerbArgs, name: string): string[] {
  const value = args.values[name];
  return Array.isArray(value) ? value.map(String) : [];
}

function partOf(word: string): Part {
  const [, name, share] = /^([^=]+)=(\d*\.?\d+)$/.exec(word) ?? [];
  if (name === undefined || share === undefined)
    throw new UsageError(`--part takes NAME=SHARE, such as dev=0.2, not "${word}".`);
  return { name, share: Number(share) };
}

/** `sql-agent split`: named parts of a dataset without a common database. */
export const verb: Verb = {
  name: 'split',
  summary: 'divide a dataset into named splits without a common database',
  help: HELP,
  options: {
    dataset: { type: 'string' },
    part: { type: 'string', multiple: true },
    seed: { type: 'string' },
    seal: { type: 'string', multiple: true },
    out: { type: 'string' },
    replace: { type: 'boolean' },
    list: { type: 'boolean' },
    format: { type: 'string' },
  },
  run,
};

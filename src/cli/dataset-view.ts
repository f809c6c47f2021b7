import { countOf } from '../core/signals/describe.ts';
import type { DatasetFormat } from '../protocol/dataset.ts';
import type { WireError } from '../protocol/errors.ts';
import type { DatasetReport } from '../runtime/evals/dataset-check.ts';
import type { FailedGold, GoldReport } from '../runtime/evals/dataset-golds.ts';

/** A dataset with its report, or with the error that kept it from being loaded. */
export type CheckedDataset =
  | { path: string; report: DatasetReport; error: null }
  | { path: string; report: null; error: WireError };

const FORMATS: Record<DatasetFormat, string> = {
  bird: 'BIRD',
  spider: 'Spider',
  jsonl: 'JSON lines',
  csv: 'CSV',
  suite: 'suite',
};

/** Most lines of one list that are printed; `--json` has all. */
const SHOWN = 20;

/** A report as lines of text: the dataset, then what was found, indented. */
export function describeDataset({ path, report, error }: CheckedDataset): string[] {
  if (report === null) return [error.message];
  const { format, items, hash } = report;
  return [
    `${path}: ${FORMATS[format]}, ${countOf(items, 'item')} on ${countOf(report.databases.needed, 'database')}, SHA-256 ${hash}`,
    ...report.problems.map(({ message }) => `  broken: ${message}`),
    ...describeDatabases(report),
    ...describeSplits(report),
    ...report.notes.map((note) => `  note: ${note}`),
    ...describeRepeated(report),
    ...(report.golds === null ? [] : describeGolds(report.golds)),
  ];
}

function describeDatabases({ databases }: DatasetReport): string[] {
  const { found, missing, broken } = databases;
  if (missing === null)
    return ['  databases: none looked for; --db-root names the folder that holds <db_id>/<db_id>.sqlite'];
  const lack = missing.length > 0 ? `, ${missing.length} missing` : '';
  const damaged = broken.length > 0 ? `, ${broken.length} not usable` : '';
  return [
    `  databases: ${found} found${lack}${damaged}`,
    ...shortened(missing, ({ name, items, lookedFor }) => {
      const where = lookedFor.length > 0 ? `, looked for as ${lookedFor.join(' and ')}` : '';
      return `    missing: ${name} (${countOf(items, 'item')}${where})`;
    }),
    ...shortened(
      broken,
      ({ name, items, message }) => `    not usable: ${name} (${countOf(items, 'item')}): ${message}`,
    ),
  ];
}

function describeSplits({ splits }: DatasetReport): string[] {
  if (splits === null) return [];
  const list = splits.splits.map(
    ({ name, sealed, databases, items }) =>
      `${name} ${countOf(items, 'item')} on ${countOf(databases, 'database')}${sealed ? ' (sealed)' : ''}`,
  );
  return [`  splits: ${list.join('; ')}${splits.fits ? '' : ' (of another state of the dataset)'}`];
}

function describeRepeated({ repeated }: DatasetReport): string[] {
  if (repeated.length === 0) return [];
  const differing = repeated.filter(({ differs }) => differs);
  const say = differing.length > 0 ? `, ${differing.length} with different golds` : '';
  return [
    `  repeated: ${countOf(repeated.length, 'question')} more than once${say}`,
    ...shortened(differing, ({ database, question, items }) => {
      const places = items.map(({ id, line }) => `${id} (line ${line})`).join(', ');
      return `    ${database}: ${JSON.stringify(question)}: ids ${places}`;
    }),
  ];
}

function describeGolds({ run, skipped, failed, empty }: GoldReport): string[] {
  const timeouts = failed.filter(({ status }) => status === 'timeout').length;
  const parts = [
    `${countOf(run, 'gold')} run`,
    `${failed.length - timeouts} fail`,
    `${timeouts} time out`,
    `${empty.length} return nothing`,
    ...(skipped > 0 ? [`${skipped} not run, without a database`] : []),
  ];
  return [
    `  golds: ${parts.join(', ')}`,
    ...shortened(failed, ({ id, db_id, line, status, code, message }: FailedGold) => {
      return `    line ${line}, id ${id}, ${db_id}: ${status} (${code}): ${message}`;
    }),
  ];
}

function shortened<T>(list: readonly T[], describe: (one: T) => string): string[] {
  const lines = list.slice(0, SHOWN).map(describe);
  return list.length > SHOWN ? [...lines, `    and ${list.length - SHOWN} more (--json lists all)`] : lines;
}

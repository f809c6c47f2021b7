import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { LedgerProblem } from '../../core/ledger/check-chain.ts';
import type { EvalLine, TrainLine } from '../../protocol/ledger.ts';
import { verifyCancelled } from './ledger-errors.ts';

/** A line of a run with its number in the ledger, from 1. */
export interface NumberedRun {
  number: number;
  line: EvalLine | TrainLine;
}

/** A run that wrote a file. */
interface Writer {
  number: number;
  run_id: string;
  output: EvalLine['output'];
}

async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(piece);
  return hash.digest('hex');
}

/** What is wrong with the output of a run, without its subject; null: nothing. */
export async function outputProblem(
  folder: string,
  { output }: { output: EvalLine['output'] },
): Promise<string | null> {
  const path = resolve(folder, output.path);
  try {
    const stats = await stat(path);
    if (!stats.isFile()) return 'is not a file';
    if (stats.size !== output.bytes) return `has ${stats.size} bytes and had ${output.bytes}: it was changed since`;
    return (await sha256OfFile(path)) === output.sha256 ? null : 'has another SHA-256: it was changed since';
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return 'is not there';
    return `cannot be read (${error instanceof Error ? error.message : String(error)})`;
  }
}

/** The writers of each file, whatever links lead to it, in the order of the lines. */
async function writersOf(folder: string, runs: readonly NumberedRun[]): Promise<Writer[][]> {
  const files = new Map<string, Writer[]>();
  for (const { number, line } of runs) {
    const { run_id, output } = line;
    // A training run that did not reach its end vouches for no file.
    if (output === null) continue;
    const path = resolve(folder, output.path);
    const file = await realpath(path).catch(() => path);
    const writers = files.get(file) ?? [];
    writers.push({ number, run_id, output });
    files.set(file, writers);
  }
  return [...files.values()];
}

const LINES_NAMED = 3;

function subject({ number, run_id, output }: Writer): string {
  return `The output of line ${number} (run ${run_id}), ${output.path},`;
}

/** What is said of writers whose file a later run wrote again: a sentence, however many they are. */
function writtenAgain(earlier: readonly Writer[], { number, run_id }: Writer): string[] {
  const [first] = earlier;
  if (first === undefined) return [];
  const named = earlier.slice(0, LINES_NAMED).map((writer) => writer.number);
  const more = earlier.length > LINES_NAMED ? ` and ${earlier.length - LINES_NAMED} more` : '';
  const what =
    earlier.length === 1 ? subject(first) : `The output of lines ${named.join(', ')}${more}, ${first.output.path},`;
  return [`${what} was written again by line ${number} (run ${run_id}), with which it is compared.`];
}

/**
 * Compares outputs with what their runs wrote; of runs that wrote the same file the last, others come back as notes.
 *
 * @param folder of the ledger
 * @param runs in the order of their lines
 * @throws AppError `cancelled`
 */
export async function checkOutputs(
  folder: string,
  runs: readonly NumberedRun[],
  signal?: AbortSignal,
): Promise<{ problems: LedgerProblem[]; notes: string[] }> {
  const problems: LedgerProblem[] = [];
  const notes: string[] = [];
  for (const writers of await writersOf(folder, runs)) {
    if (signal?.aborted) throw verifyCancelled();
    const last = writers.at(-1);
    if (last === undefined) continue;
    notes.push(...writtenAgain(writers.slice(0, -1), last));
    const reason = await outputProblem(folder, last);
    if (reason !== null) problems.push({ line: last.number, code: 'output', message: `${subject(last)} ${reason}.` });
  }
  return { problems, notes };
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { type ChainedLine, checkChain, checkHead, type LedgerProblem } from '../../core/ledger/check-chain.ts';
import { parseLine } from '../../core/ledger/parse-line.ts';
import { lastLines } from '../../core/ledger/run-row.ts';
import type { EvalLine, TrainLine } from '../../protocol/ledger.ts';
import { verifyCancelled } from './ledger-errors.ts';
import { readSettled } from './ledger-file.ts';
import { hashOf, type RawLine, splitLines, textOf } from './ledger-lines.ts';

export interface VerifyOptions {
  /** SHA-256 of the last line as it was noted elsewhere, or its beginning. */
  head?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** What a check of a ledger found. */
export interface LedgerCheck {
  lines: number;
  /** Evaluations and training runs. */
  runs: number;
  /** SHA-256 of the last line, to be noted elsewhere; null where there is none. */
  head: string | null;
  /** In the order of the lines. */
  problems: LedgerProblem[];
  /** What is worth knowing and no problem, a sentence each. */
  notes: string[];
}

type NumberedRun = { number: number; line: EvalLine | TrainLine };

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

/** Compares outputs with what their runs wrote; of runs that wrote the same file the last, others come back as notes. */
async function checkOutputs(
  folder: string,
  runs: readonly NumberedRun[],
  signal?: AbortSignal,
): Promise<{ problems: LedgerProblem[]; notes: string[] }> {
  const problems: LedgerProblem[] = [];
  const notes: string[] = [];
  // A training run that did not reach its end vouches for no file.
  const written = runs.flatMap(({ number, line: { run_id, output } }) =>
    output === null ? [] : [{ number, run_id, output, path: resolve(folder, output.path) }],
  );
  const last = new Map(written.map((run) => [run.path, run]));
  for (const run of written) {
    if (signal?.aborted) throw verifyCancelled();
    const { number, run_id, output, path } = run;
    const what = `The output of line ${number} (run ${run_id}), ${output.path},`;
    const later = last.get(path);
    if (later !== undefined && later !== run) {
      notes.push(`${what} was written again by line ${later.number} (run ${later.run_id}), with which it is compared.`);
      continue;
    }
    const reason = await outputProblem(folder, { output });
    if (reason !== null) problems.push({ line: number, code: 'output', message: `${what} ${reason}.` });
  }
  return { problems, notes };
}

/** What earlier repairs put beside the ledger. */
async function tornFiles(path: string): Promise<string[]> {
  const beginning = `${basename(path)}.torn-`;
  const names = await readdir(dirname(path)).catch(() => []);
  return names.filter((name) => name.startsWith(beginning)).sort();
}

async function notesOf(path: string, lines: readonly RawLine[]): Promise<string[]> {
  const notes: string[] = [];
  if (lines.some(({ windows }) => windows))
    notes.push('Some lines end as on Windows: git or an editor changed them. Their hashes are of what stands before.');
  const last = lines.at(-1);
  if (last && !last.ended && parseLine(textOf(last)).kind !== 'no_json')
    notes.push('The last line lacks its line feed; the next line that is written adds it.');
  for (const name of await tornFiles(path)) notes.push(`A torn line was moved to ${name} by an earlier repair.`);
  return notes;
}

/** Checks a ledger: the form of its lines, their chain, and the output of the last line of every run, of every file. */
export async function verifyLedger(path: string, { head, signal }: VerifyOptions): Promise<LedgerCheck> {
  const raw = splitLines(await readSettled(path));
  const lines: ChainedLine[] = raw.map((line) => ({
    parsed: parseLine(textOf(line)),
    hash: hashOf(line),
    ended: line.ended,
  }));
  const found = lines.flatMap(({ parsed }, index): NumberedRun[] =>
    parsed.kind === 'line' && parsed.line.kind !== 'open_sealed' ? [{ number: index + 1, line: parsed.line }] : [],
  );
  const runs = lastLines(found, ({ line }) => line.run_id);
  const notes = await notesOf(path, raw);
  const outputs = await checkOutputs(dirname(path), runs.toReversed(), signal);
  notes.push(...outputs.notes);
  const problems = [...checkChain(lines), ...outputs.problems].sort(
    (one, other) => (one.line ?? 0) - (other.line ?? 0),
  );
  const compared = head === undefined ? null : checkHead(lines, head);
  if (compared && 'note' in compared) notes.push(compared.note);
  else if (compared) problems.push(compared);
  return { lines: lines.length, runs: runs.length, head: lines.at(-1)?.hash ?? null, problems, notes };
}

import { readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { type ChainedLine, checkChain, checkHead, type LedgerProblem } from '../../core/ledger/check-chain.ts';
import { parseLine } from '../../core/ledger/parse-line.ts';
import { lastLines } from '../../core/ledger/run-row.ts';
import { readSettled } from './ledger-file.ts';
import { hashOf, type RawLine, splitLines, textOf } from './ledger-lines.ts';
import { checkOutputs, type NumberedRun } from './ledger-outputs.ts';

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

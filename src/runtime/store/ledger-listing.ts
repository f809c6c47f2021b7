import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { parseLine } from '../../core/ledger/parse-line.ts';
import { lastLines, toRunRow } from '../../core/ledger/run-row.ts';
import { readSettled } from './ledger-file.ts';
import type { Covered, IndexedList, IndexedRun, LedgerIndex, LineProblem } from './ledger-index.ts';
import { isEnded, type RawLine, splitLines, textOf } from './ledger-lines.ts';

interface Found {
  runs: IndexedRun[];
  problems: LineProblem[];
}

/** What lines of a ledger hold. @param at where they begin in the file, @param before how many lines stand before them */
function readLines(lines: readonly RawLine[], at: number, before: number): Found {
  const found: Found = { runs: [], problems: [] };
  for (const [index, raw] of lines.entries()) {
    const line = before + index + 1;
    const parsed = parseLine(textOf(raw));
    if (parsed.kind !== 'line') found.problems.push({ line, reason: parsed.reason });
    else if (parsed.line.kind === 'eval')
      found.runs.push({ line, start: at + raw.start, length: raw.bytes.length, row: toRunRow(parsed.line) });
  }
  return found;
}

/** What changes when a file does; null where there is none. */
async function stateOf(path: string): Promise<string | null> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
  } catch {
    return null;
  }
}

/** Brings the index up to the file: where its beginning is what was indexed, only the lines behind are read. */
function update(path: string, index: LedgerIndex, bytes: Buffer, state: string): void {
  const known = index.covered(path);
  const hash = createHash('sha256');
  let before: Covered | null = null;
  if (known !== null && known.size <= bytes.length) {
    hash.update(bytes.subarray(0, known.size));
    if (hash.copy().digest('hex') === known.hash) before = known;
    hash.update(bytes.subarray(known.size));
  } else hash.update(bytes);
  const from = before?.size ?? 0;
  const lines = splitLines(bytes.subarray(from));
  const next = { state, size: bytes.length, lines: (before?.lines ?? 0) + lines.length, hash: hash.digest('hex') };
  index.save(path, before, next, readLines(lines, from, before?.lines ?? 0));
}

/**
 * The newest runs of a ledger.
 *
 * @param index null: the file is read
 * @param limit null: all
 * @throws AppError as `readSettled`
 */
export async function listLedger(path: string, index: LedgerIndex | null, limit: number | null): Promise<IndexedList> {
  const state = await stateOf(path);
  const listed = () => (index?.covered(path)?.state === state ? index?.list(path, limit) : null);
  if (state !== null) {
    const known = listed();
    if (known) return known;
  }
  const bytes = await readSettled(path);
  // A torn end is never indexed: it does not stay.
  if (index !== null && state !== null && isEnded(bytes)) {
    update(path, index, bytes, state);
    const fresh = listed();
    if (fresh) return fresh;
  }
  const { runs, problems } = readLines(splitLines(bytes), 0, 0);
  const last = lastLines(runs, ({ row }) => row.run_id);
  return { runs: last.slice(0, limit ?? last.length), total: last.length, problems };
}

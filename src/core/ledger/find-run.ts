import { noRuns, runAmbiguous, runUnknown, tooFewRuns } from './errors.ts';

/** Candidates that an error names. */
const SHOWN = 5;

/** Pieces of an id and of what was asked that can be compared: `20261129-213005-small-dev-4f2a` has five. */
function pieces(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((piece) => piece !== '');
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < Math.min(a.length, b.length) && a[length] === b[length]) length += 1;
  return length;
}

/** How much of what was asked an id has: characters of the pieces in common and of the common beginning. */
function likeness(asked: string, id: string): number {
  const has = new Set(pieces(id));
  const common = pieces(asked).filter((piece) => has.has(piece));
  return common.join('').length + commonStart(asked.toLowerCase(), id.toLowerCase());
}

function nearest(asked: string, ids: readonly string[]): string[] {
  return ids
    .map((id) => ({ id, score: likeness(asked, id) }))
    .filter(({ score }) => score >= 4)
    .sort((a, b) => b.score - a.score)
    .slice(0, SHOWN)
    .map(({ id }) => id);
}

/**
 * The run that a word names: its id, a beginning or a part of it that no other id has, `latest`, or `latest~N` for the
 * N-th before it.
 *
 * @param ids newest first, each once
 * @param ledger path of the ledger, for messages
 * @throws AppError `ledger_no_runs`, `run_unknown`, `run_ambiguous`
 */
export function findRun(asked: string, ids: readonly string[], ledger: string): string {
  if (ids.length === 0) throw noRuns(ledger);
  if (ids.includes(asked)) return asked;
  const back = /^latest(?:~(\d{1,9}))?$/.exec(asked);
  if (back) {
    const id = ids[Number(back[1] ?? 0)];
    if (id === undefined) throw tooFewRuns(asked, ids.length);
    return id;
  }
  if (asked.trim() === '') throw runUnknown(asked, ids.slice(0, SHOWN), ids.length);
  const starting = ids.filter((id) => id.startsWith(asked));
  const fitting = starting.length > 0 ? starting : ids.filter((id) => id.includes(asked));
  const [only, ...others] = fitting;
  if (only === undefined) throw runUnknown(asked, nearest(asked, ids), ids.length);
  if (others.length > 0) throw runAmbiguous(asked, fitting.slice(0, SHOWN), fitting.length);
  return only;
}

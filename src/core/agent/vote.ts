import type { VoteGroup } from '../../protocol/ask.ts';
import type { JsonQueryResult } from '../../protocol/query.ts';
import type { JsonCell } from '../../protocol/value.ts';
import type { Candidate } from './setup.ts';

/** Reals that differ by the order of a sum only are one value. */
const SIGNIFICANT_DIGITS = 10;

function canonicalCell(cell: JsonCell): JsonCell {
  return typeof cell === 'number' && !Number.isInteger(cell) ? Number(cell.toPrecision(SIGNIFICANT_DIGITS)) : cell;
}

/**
 * What two results have in common where they are the same answer: the multiset of their rows, columns in order and
 * whatever their names, reals to 10 significant digits.
 */
function canonicalResult(result: JsonQueryResult): string {
  const rows = result.rows.map((row) => JSON.stringify(row.map(canonicalCell))).sort();
  return JSON.stringify([result.columns.length, result.truncated, rows]);
}

type Voter = Candidate & { sql: string; result: JsonQueryResult };

/** Rows, no rows, no result: only candidates of the best of these vote. */
function standing({ result }: Voter): 0 | 1 | 2 {
  if (result.status !== 'ok') return 0;
  return result.rows.length === 0 ? 1 : 2;
}

function keyOf(voter: Voter): string {
  if (standing(voter) === 2) return canonicalResult(voter.result);
  return standing(voter) === 1 ? 'empty' : `${voter.result.status} ${voter.result.code}`;
}

function isVoter(candidate: Candidate): candidate is Voter {
  return candidate.sql !== null && candidate.result !== null && candidate.result.status !== 'cancelled';
}

/**
 * The vote over result sets. Each candidate votes for its own result; errors and empty results do not vote unless all
 * are, and among those the empty ones come before the errors. The result with the most votes wins, a tie goes to the one
 * whose first sample is the earliest, and the SQL is that of its first sample.
 *
 * @returns null where no candidate has SQL; `groups` the winner first, those without votes last
 */
export function vote(candidates: readonly Candidate[]): { winner: Candidate; groups: VoteGroup[] } | null {
  const voters = candidates.filter(isVoter);
  const best = Math.max(...voters.map(standing));
  const byKey = new Map<string, Voter[]>();
  for (const voter of voters) byKey.set(keyOf(voter), [...(byKey.get(keyOf(voter)) ?? []), voter]);
  const groups = [...byKey.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ first, group, votes: standing(first) === best ? group.length : 0 }];
  });
  groups.sort((a, b) => b.votes - a.votes || a.first.sample - b.first.sample);
  const [winner] = groups;
  if (winner === undefined) return null;
  return {
    winner: winner.first,
    groups: groups.map(({ first, group, votes }) => ({
      sql: first.sql,
      votes,
      samples: group.map(({ sample }) => sample),
      status: first.result.status,
      rows: first.result.rows.length,
    })),
  };
}

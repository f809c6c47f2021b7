import assert from 'node:assert/strict';
import type { Candidate } from '../../../src/core/agent/setup.ts';
import { vote } from '../../../src/core/agent/vote.ts';
import type { QueryStatus } from '../../../src/protocol/query.ts';
import type { JsonCell } from '../../../src/protocol/value.ts';
import { oneShot, play, say, turns } from './world.ts';

function candidate(sample: number, rows: JsonCell[][], status: QueryStatus = 'ok', columns = ['a', 'b']): Candidate {
  const code = status === 'ok' ? null : 'SQLITE_ERROR';
  const result = {
    status,
    code,
    message: null,
    position: null,
    columns,
    origins: [],
    rows,
    truncated: false,
    ms: 0,
    touched: [],
    notes: [],
  };
  return { sample, stop: 'final', sql: `SELECT ${sample}`, result, expected: null, error: null };
}

function groupsOf(...candidates: Candidate[]) {
  return vote(candidates)?.groups.map(({ votes, samples }) => [votes, samples]);
}

const A: JsonCell[][] = [['x', 1]];
const B: JsonCell[][] = [['y', 2]];

describe('the vote over result sets', () => {
  it('is won by the result with the most votes, with the SQL of its first sample', () => {
    const outcome = vote([candidate(0, A), candidate(1, B), candidate(2, B)]);
    assert.equal(outcome?.winner.sample, 1);
    assert.deepEqual(
      outcome?.groups.map(({ sql, votes, samples }) => [sql, votes, samples]),
      [
        ['SELECT 1', 2, [1, 2]],
        ['SELECT 0', 1, [0]],
      ],
    );
  });

  it('goes to the earliest sample where votes are equal', () => {
    assert.deepEqual(groupsOf(candidate(0, B), candidate(1, A), candidate(2, A), candidate(3, B)), [
      [2, [0, 3]],
      [2, [1, 2]],
    ]);
  });

  it('compares multisets of rows, columns in order and whatever their names', () => {
    const rows: JsonCell[][] = [
      ['x', 1],
      ['x', 1],
      ['y', 2],
    ];
    const shuffled: JsonCell[][] = [
      ['y', 2],
      ['x', 1],
      ['x', 1],
    ];
    assert.deepEqual(groupsOf(candidate(0, rows), candidate(1, shuffled, 'ok', ['c', 'd'])), [[2, [0, 1]]]);
    assert.equal(
      groupsOf(
        candidate(0, rows),
        candidate(1, [
          ['x', 1],
          ['y', 2],
        ]),
      )?.length,
      2,
    );
    assert.equal(groupsOf(candidate(0, [['x', 1]]), candidate(1, [[1, 'x']]))?.length, 2);
    assert.equal(groupsOf(candidate(0, [[null, 1]]), candidate(1, [['', 1]]))?.length, 2);
  });

  it('takes sums that differ in their last digits for one', () => {
    assert.equal(groupsOf(candidate(0, [[0.1 + 0.2, 1]]), candidate(1, [[0.3, 1]]))?.length, 1);
    assert.equal(groupsOf(candidate(0, [[0.31, 1]]), candidate(1, [[0.3, 1]]))?.length, 2);
  });

  it('leaves errors and empty results out unless all are', () => {
    assert.deepEqual(groupsOf(candidate(0, []), candidate(1, []), candidate(2, [], 'error'), candidate(3, A)), [
      [1, [3]],
      [0, [0, 1]],
      [0, [2]],
    ]);
    assert.deepEqual(groupsOf(candidate(0, [], 'error'), candidate(1, [], 'error'), candidate(2, [])), [
      [1, [2]],
      [0, [0, 1]],
    ]);
    assert.deepEqual(groupsOf(candidate(0, [], 'error'), candidate(1, [], 'timeout'), candidate(2, [], 'timeout')), [
      [2, [1, 2]],
      [1, [0]],
    ]);
  });

  it('is none where no sample has SQL', () => {
    assert.equal(vote([{ ...candidate(0, A), sql: null, result: null }]), null);
  });
});

describe('several samples', () => {
  const COUNT = 'SELECT count(*) FROM singer';
  const OTHER = 'SELECT count(*) FROM concert WHERE year = 2014';

  it('are the greedy one and the seeds 1 to n - 1 at temperature 0.7, for both protocols', async () => {
    const single = await play(oneShot(OTHER, COUNT, COUNT), { samples: 3 });
    const decoding = [
      [0, null],
      [0.7, 1],
      [0.7, 2],
    ];
    assert.deepEqual(
      single.requests.map(({ temperature, seed }) => [temperature, seed]),
      decoding,
    );
    assert.deepEqual([single.result.sql, single.result.vote?.[0]?.votes], [COUNT, 2]);
    assert.deepEqual(
      single.result.turns.map(({ sample }) => sample),
      [
        { seed: 0, temperature: 0 },
        { seed: 1, temperature: 0.7 },
        { seed: 2, temperature: 0.7 },
      ],
    );
    const looped = await play(turns(...[OTHER, COUNT, COUNT].map((sql) => say({ action: 'final', sql }))), {
      samples: 3,
    });
    assert.deepEqual(
      looped.requests.map(({ temperature, seed }) => [temperature, seed]),
      decoding,
    );
    assert.deepEqual([looped.result.sql, looped.result.vote?.[0]?.samples], [COUNT, [1, 2]]);
  });

  it('do not retry: an error is one sample', async () => {
    const { result, requests } = await play(oneShot('SELECT nope', COUNT), { samples: 2 });
    assert.deepEqual([result.sql, requests.length], [COUNT, 2]);
  });

  it('vote among those that came before the provider failed, and say so', async () => {
    const gone = { text: '', error: { code: 'provider_unreachable', message: 'No server.' } };
    const { result } = await play(oneShot(COUNT, COUNT, gone, OTHER), { samples: 4 });
    assert.deepEqual([result.stop, result.sql, result.vote?.[0]?.votes], ['final', COUNT, 2]);
    assert.match(result.notes[0] ?? '', /over 2 of 4 samples: No server\./);
    const first = await play(oneShot(gone), { samples: 4 });
    assert.deepEqual(
      [first.result.stop, first.result.code, first.result.vote],
      ['provider_error', 'provider_unreachable', []],
    );
  });
});

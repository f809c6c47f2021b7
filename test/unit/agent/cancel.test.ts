import assert from 'node:assert/strict';
import type { Provider } from '../../../src/core/ports.ts';
import { oneShot, type PlayOptions, play, say, turns } from './world.ts';

const COUNT = 'SELECT count(*) FROM singer';

/** Plays with a signal that is aborted at the first event that `when` is true of. */
async function cancelledWhen(
  script: Parameters<typeof play>[0],
  when: (event: { type: string; phase?: string; text?: string }) => boolean,
  options: PlayOptions = {},
) {
  const controller = new AbortController();
  const onEvent: PlayOptions['onEvent'] = (event) => {
    if (when(event)) controller.abort();
  };
  return await play(script, { ...options, signal: controller.signal, onEvent });
}

describe('cancelling the agent', () => {
  const slow = { text: 'SELECT count(*) FROM singer', delayMs: 60_000, tokenDelayMs: 60_000 };

  it('ends it while the model loads, reads and writes, and keeps what it wrote', async () => {
    const loading = await cancelledWhen(
      { protocol: 'one_shot', loadingMs: 60_000, replies: [COUNT] },
      ({ phase }) => phase === 'loading',
    );
    assert.deepEqual([loading.result.stop, loading.result.turns], ['cancelled', []]);
    const prompting = await cancelledWhen(oneShot(slow), ({ phase }) => phase === 'prompting');
    assert.equal(prompting.result.stop, 'cancelled');
    const writing = await cancelledWhen(oneShot({ ...slow, delayMs: 0 }), ({ type }) => type === 'token');
    assert.deepEqual(
      [writing.result.stop, writing.result.turns[0]?.reply, writing.result.turns[0]?.error?.code],
      ['cancelled', 'SELECT', 'cancelled'],
    );
  });

  it('ends it while a query runs, and keeps the turn', async () => {
    const { result } = await cancelledWhen(
      turns(say({ action: 'query', sql: COUNT })),
      ({ phase }) => phase === 'querying',
    );
    assert.deepEqual([result.stop, result.status, result.code], ['cancelled', 'cancelled', 'cancelled']);
    assert.deepEqual([result.turns[0]?.sql, result.turns[0]?.status], [COUNT, 'cancelled']);
  });

  it('ends it between turns, with the turns until then and no rows', async () => {
    const { result, requests } = await cancelledWhen(
      turns(say({ action: 'query', sql: COUNT }), say({ action: 'final', sql: COUNT })),
      ({ type }) => type === 'turn',
    );
    assert.deepEqual(
      [result.stop, result.turns.length, requests.length, result.sql, result.rows],
      ['cancelled', 1, 1, COUNT, []],
    );
  });

  it('ends a vote and the retries', async () => {
    const voting = await cancelledWhen(oneShot(COUNT, COUNT, COUNT), ({ type }) => type === 'turn', { samples: 3 });
    assert.deepEqual([voting.result.stop, voting.requests.length, voting.result.vote?.[0]?.votes], ['cancelled', 1, 1]);
    const retrying = await cancelledWhen(oneShot('SELECT nope', COUNT), ({ type }) => type === 'turn');
    assert.deepEqual([retrying.result.stop, retrying.requests.length], ['cancelled', 1]);
  });

  it('does not wait for a provider that takes no notice, nor listens to it any more', async () => {
    let late: () => void = () => {};
    const deaf: Provider = {
      protocol: 'one_shot',
      model: { provider: 'scripted', name: 'deaf', accuracy: null },
      chat: (_request, progress) =>
        new Promise((_resolve, reject) => {
          progress.onToken?.('SEL');
          late = () => {
            progress.onToken?.('ECT');
            reject(new Error('too late'));
          };
        }),
      dispose: async () => {},
    };
    const { result, events } = await cancelledWhen(oneShot(), ({ type }) => type === 'token', { provider: deaf });
    late();
    assert.deepEqual([result.stop, result.turns[0]?.reply], ['cancelled', 'SEL']);
    assert.equal(events.filter(({ type }) => type === 'token').length, 1);
  });

  it('does nothing at all where it was cancelled before it began', async () => {
    const controller = new AbortController();
    controller.abort();
    const { result, requests, ran } = await play(oneShot(COUNT), { signal: controller.signal });
    assert.deepEqual([result.stop, requests, ran], ['cancelled', [], []]);
  });
});

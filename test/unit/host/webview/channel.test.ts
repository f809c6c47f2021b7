import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { WebviewChannel } from '../../../../src/host/webview/channel.ts';
import type { Channel } from '../../../../src/protocol/channel.ts';

const Up = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('say'), text: z.string() }),
]);
const CHANNEL: Channel<z.infer<typeof Up>, string> = { name: 'test', up: Up, down: z.string() };

function open() {
  const posted: unknown[] = [];
  const received: unknown[] = [];
  const refused: string[] = [];
  let listener: (message: unknown) => void = () => {};
  const port = {
    postMessage: async (message: unknown) => posted.push(message) > 0,
    onDidReceiveMessage: (listen: (message: unknown) => void) => {
      listener = listen;
      return {
        dispose: () => {
          listener = () => {};
        },
      };
    },
  };
  const channel = new WebviewChannel(port, CHANNEL, {
    onReady: () => channel.post('everything'),
    onMessage: (message) => received.push(message),
    onRefused: (problem) => refused.push(problem),
  });
  return { channel, posted, received, refused, send: (message: unknown) => listener(message) };
}

describe('the channel to a webview', () => {
  it('keeps what is posted until the view listens, and tells it everything first', () => {
    const { channel, posted, send } = open();
    channel.post('early');
    assert.deepEqual(posted, []);
    send({ type: 'ready' });
    channel.post('late');
    assert.deepEqual(posted, ['everything', 'early', 'late']);
  });

  it('waits again while the view is hidden', () => {
    const { channel, posted, send } = open();
    send({ type: 'ready' });
    channel.suspend();
    channel.post('hidden');
    assert.deepEqual(posted, ['everything']);
    send({ type: 'ready' });
    assert.deepEqual(posted, ['everything', 'everything', 'hidden']);
  });

  it('hands over messages that parse and refuses all others, without what was typed', () => {
    const { received, refused, send } = open();
    send({ type: 'say', text: 'hello' });
    for (const bad of [
      { type: 'say', text: 5 },
      { type: 'say', text: 'secret', more: 1 },
      'say',
      null,
      { type: 'format' },
    ])
      send(bad);
    assert.deepEqual(received, [{ type: 'say', text: 'hello' }]);
    assert.equal(refused.length, 5);
    assert.ok(refused.every((problem) => problem.startsWith('test: ') && !problem.includes('secret')));
  });

  it('is silent after it was disposed', () => {
    const { channel, posted, received, send } = open();
    send({ type: 'ready' });
    channel.dispose();
    channel.post('too late');
    send({ type: 'say', text: 'too late' });
    assert.deepEqual(posted, ['everything']);
    assert.deepEqual(received, []);
  });
});

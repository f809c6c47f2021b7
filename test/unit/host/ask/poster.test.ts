import assert from 'node:assert/strict';
import { Poster } from '../../../../src/host/ask/poster.ts';

function open() {
  const posted: string[] = [];
  const poster = new Poster({
    state: () => posted.push('state'),
    token: (run, turn, text) => posted.push(`${run}/${turn} ${text}`),
  });
  return { poster, posted };
}

describe('posting the progress of a question', () => {
  it('joins tokens that come fast', () => {
    const { poster, posted } = open();
    for (const text of ['a', 'b', 'c']) poster.token(1, 1, text);
    poster.flush();
    assert.deepEqual(posted, ['1/1 abc']);
  });

  it('posts the state alone where it changed too: it has the text', () => {
    const { poster, posted } = open();
    poster.token(1, 1, 'a');
    poster.changed();
    poster.changed();
    poster.token(1, 1, 'b');
    poster.flush();
    poster.flush();
    assert.deepEqual(posted, ['state']);
  });

  it('posts the state where another reply begins before the first was posted', () => {
    const { poster, posted } = open();
    poster.token(1, 1, 'a');
    poster.token(1, 2, 'b');
    poster.flush();
    assert.deepEqual(posted, ['state']);
  });

  it('posts by itself after a moment, and nothing once it is disposed', async () => {
    const { poster, posted } = open();
    const later = new Promise<void>((resolve) => {
      const other = new Poster({ state: resolve, token: () => {} });
      other.changed();
    });
    poster.changed();
    poster.dispose();
    await later;
    assert.deepEqual(posted, []);
  });
});

import assert from 'node:assert/strict';
import { type ModelSituation, modelLines, whereabouts } from '../../../../src/host/models/choices.ts';
import { progressText } from '../../../../src/host/models/progress-text.ts';
import type { ModelStatus } from '../../../../src/runtime/model/models.ts';

const small: ModelStatus = {
  name: 'small',
  title: 'Small',
  license: 'MIT',
  source: 'somewhere',
  accuracy: 'Half is right; a larger one: by the command line',
  state: 'bundled',
  isDefault: true,
  bytes: 1e8,
  partialBytes: 0,
  base: null,
  adapter: null,
};
const coder: ModelStatus = { ...small, name: 'coder', title: 'Coder', state: 'absent', isDefault: false, bytes: 1.1e9 };

function lines(changes: Partial<ModelSituation>) {
  const situation: ModelSituation = {
    current: { provider: 'local', name: 'small' },
    local: [small, coder],
    server: { address: '', name: '' },
    ...changes,
  };
  return modelLines(situation);
}

describe('the lines of "Choose Model…"', () => {
  it('say which model answers now, where each one is and how good it is', () => {
    assert.deepEqual(
      lines({}).map(({ what, description }) => [what, description]),
      [
        ['small', 'current · Small · comes with the extension'],
        ['coder', 'Coder · 1.10 GB to fetch once'],
        ['server', ''],
        ['test', 'small'],
      ],
    );
    assert.equal(lines({})[0]?.detail, 'Half is right');
  });

  it('name the server that is set up, and mark it where it answers', () => {
    const server = { address: 'http://127.0.0.1:1/v1', name: 'qwen' };
    const current = { provider: 'openai', ...server } as const;
    assert.equal(lines({ server })[2]?.description, 'qwen at http://127.0.0.1:1/v1');
    assert.equal(lines({ server, current })[2]?.description, 'current · qwen at http://127.0.0.1:1/v1');
  });

  it('offer no test where no model can answer', () => {
    assert.deepEqual(
      lines({ current: null }).map(({ what }) => what),
      ['small', 'coder', 'server'],
    );
  });

  it('tell how much of a stopped download is here', () => {
    assert.equal(whereabouts({ ...coder, state: 'partial', partialBytes: 4.2e8 }), '420.0 MB of 1.10 GB are here');
  });
});

describe('progressText', () => {
  const progress = { step: 'downloading', bytes: 5e8, total: 1e9, bytesPerSecond: null, secondsLeft: null } as const;

  it('says how much came, and at what rate once it is known', () => {
    assert.equal(progressText(progress), '500.0 MB of 1.00 GB downloaded');
    assert.equal(
      progressText({ ...progress, bytesPerSecond: 5e6, secondsLeft: 100 }),
      '500.0 MB of 1.00 GB downloaded, 5.0 MB/s, 2 min left',
    );
    assert.match(progressText({ ...progress, secondsLeft: 12.1 }), /, 13 s left$/);
  });
});

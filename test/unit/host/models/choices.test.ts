import assert from 'node:assert/strict';
import type { KnownAdapter } from '../../../../src/host/models/adapters.ts';
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
    current: { provider: 'local', name: 'small', adapter: null },
    local: [small, coder],
    adapters: [],
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
        ['heading', ''],
        ['adapterFile', ''],
        ['heading', ''],
        ['server', ''],
        ['test', 'small'],
      ],
    );
    assert.equal(lines({})[0]?.detail, 'Half is right');
  });

  it('name the server that is set up, and mark it where it answers', () => {
    const server = { address: 'http://127.0.0.1:1/v1', name: 'qwen' };
    const current = { provider: 'openai', ...server } as const;
    const named = (changes: Partial<ModelSituation>) =>
      lines(changes).find(({ what }) => what === 'server')?.description;
    assert.equal(named({ server }), 'qwen at http://127.0.0.1:1/v1');
    assert.equal(named({ server, current }), 'current · qwen at http://127.0.0.1:1/v1');
  });

  it('offer no test where no model can answer', () => {
    assert.deepEqual(
      lines({ current: null }).map(({ what }) => what),
      ['small', 'coder', 'heading', 'adapterFile', 'heading', 'server'],
    );
  });

  it('list adapters under their own heading, each with its base and what its evaluation found', () => {
    const changed = new Date(2026, 10, 30, 8, 40).getTime();
    const first: KnownAdapter = {
      path: '/runs/first/adapter.gguf',
      title: 'first',
      base: 'small',
      baseName: 'small',
      changed,
      evaluated: 'EX 62.4 % on shop',
    };
    const second = { ...first, path: '/runs/second/adapter.gguf', title: 'second', evaluated: null };
    const foreign = { ...second, path: '/runs/foreign/adapter.gguf', title: 'foreign', base: null, baseName: 'Qwen3' };
    const current = { provider: 'local', name: 'small', adapter: second.path } as const;
    const all = lines({ adapters: [first, second, foreign], current });
    const at = all.findIndex(({ label }) => label === 'Your adapters');
    assert.deepEqual(
      all.slice(at + 1, at + 4).map(({ label, description, detail, adapter }) => [label, description, detail, adapter]),
      [
        ['$(layers) first', 'trained for small, 2026-11-30 08:40', 'EX 62.4 % on shop', first.path],
        ['$(layers) second', 'current · trained for small, 2026-11-30 08:40', 'Not evaluated yet', second.path],
        [
          '$(circle-slash) foreign',
          'trained for Qwen3, 2026-11-30 08:40',
          'Its model is none of those that answer here',
          foreign.path,
        ],
      ],
    );
    // The model's own adapter does not answer then.
    assert.equal(all[0]?.description, 'Small · comes with the extension');
    assert.equal(all.at(-1)?.description, 'small with second');
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

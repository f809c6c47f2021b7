import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type Engine, openEngine } from '../../../src/runtime/engine.ts';
import { askItem } from '../../../src/runtime/evals/eval-ask.ts';
import { createScriptedProvider } from '../../../src/runtime/model/scripted-provider.ts';
import { temporaryFolder } from '../../support/temporary.ts';

describe('a question of an evaluation', () => {
  const folder = temporaryFolder();
  let engine: Engine;

  before(async () => {
    engine = await openEngine({ storage: join(folder.path, 'home'), children: 1 });
  });

  after(async () => {
    await engine.dispose();
    folder.remove();
  });

  it('shows a model its error only where the run records that, also one that is shown it otherwise', async () => {
    const db = folder.database('concerts.sqlite', 'CREATE TABLE singer (name TEXT); INSERT INTO singer VALUES (1);');
    const words = { question: 'Who sings?', evidence: '', gold: 'SELECT name FROM singer', difficulty: null };
    const item = { id: '1', db_id: 'concerts', ...words, database: null, line: 1 };
    for (const repair of [undefined, true]) {
      const script = { protocol: 'one_shot' as const, replies: ['SELECT nam FROM singer', 'SELECT name FROM singer'] };
      const provider = { ...createScriptedProvider(script), repairs: true };
      const decoding = { samples: 1, retries: 3, turns: 4, ...(repair ? { repair } : {}) };
      const request = { decoding, link: 'auto' as const, timeoutMs: 20_000 };
      const { signal } = new AbortController();
      const { turns } = await askItem({ engine, provider }, request, item, db, signal);
      assert.deepEqual([turns.length, turns[1]?.repairs], [2, repair], String(repair));
    }
  });
});

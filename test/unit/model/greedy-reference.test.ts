import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderLines1 } from '../../../src/core/schema/lines1.ts';
import { readCatalog } from '../../../src/runtime/catalog.ts';
import { createLocalProvider, type LocalProvider } from '../../../src/runtime/model/local-provider.ts';
import { SandboxPool } from '../../../src/runtime/sandbox/pool.ts';
import { scanValues } from '../../../src/runtime/store/values.ts';
import { publishedAnswers } from '../../support/published.ts';
import { needShared } from '../../support/shared.ts';

/** Every so many of the published questions are asked, over as many databases as there are answers. */
const STEP = 43;
/**
 * Engines for other processors round differently, and the model is at times torn between two spellings of a column: of 131
 * answers of an adapter before it 120 were equal with AVX2 and 104 with AMX. A mistake in the prompt, the tokens or the adapter
 * leaves none or few.
 */
const LEAST_EQUAL = 0.5;

describe('greedy answers of the bundled model', function () {
  this.timeout(300_000);
  let storage: string;
  let sandbox: SandboxPool;
  let provider: LocalProvider;
  before(() => {
    storage = mkdtempSync(join(tmpdir(), 'sql-agent-greedy-'));
    sandbox = new SandboxPool({ children: 1, spares: 0 });
    provider = createLocalProvider({ name: 'small', storage });
  });
  after(async () => {
    await provider.dispose();
    await sandbox.dispose();
    rmSync(storage, { recursive: true, force: true });
  });

  const answer = async (db: string, question: string): Promise<string> => {
    const catalog = await readCatalog(sandbox, db);
    const scan = await scanValues({ sandbox, store: null, db, catalog, budgetMs: null });
    const { system, user, stablePrefix } = renderLines1({ catalog, scan, tables: null, question, evidence: '' });
    const messages = [
      { role: 'system' as const, content: system },
      { role: 'user' as const, content: user },
    ];
    const sampling = { temperature: 0, seed: null, maxTokens: 300 };
    const { text } = await provider.chat({ messages, stablePrefix, prefixKey: db, ...sampling }, {});
    return text;
  };

  it('are mostly those that are published, which another processor gave', async function () {
    const databases = needShared(this, 'data/spider/database');
    const asked = (await publishedAnswers()).filter((_, index) => index % STEP === 0);
    const different: string[] = [];
    for (const { db_id, question, turns } of asked) {
      const text = await answer(join(databases, db_id, `${db_id}.sqlite`), question);
      const reply = turns[0]?.reply;
      if (text !== reply) different.push(`${question}\n  published ${reply}\n  here      ${text}`);
    }
    assert.ok(asked.length >= 10);
    assert.ok(different.length <= asked.length * (1 - LEAST_EQUAL), different.join('\n'));
  });
});

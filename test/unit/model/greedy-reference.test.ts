import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderLines1 } from '../../../src/core/schema/lines1.ts';
import { readCatalog } from '../../../src/runtime/catalog.ts';
import { createLocalProvider, type LocalProvider } from '../../../src/runtime/model/local-provider.ts';
import { SandboxPool } from '../../../src/runtime/sandbox/pool.ts';
import { scanValues } from '../../../src/runtime/store/values.ts';
import { needShared } from '../../support/shared.ts';

interface Reference {
  model: string;
  db_id: string;
  question: string;
  pred: string;
}

/** Every so many of the reference questions are asked, over as many databases as there are answers. */
const STEP = 11;
/**
 * Engines for other processors round differently, and the model is at times torn between two spellings of a column: of
 * all 131 answers 120 were equal with AVX2 and 104 with AMX. A mistake in the prompt, the tokens or the adapter leaves
 * none or few.
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

  it('are mostly the reference answers, which another build on another processor gave', async function () {
    const lines = readFileSync(needShared(this, 'models/greedy_reference.jsonl'), 'utf8').split('\n').filter(Boolean);
    const databases = needShared(this, 'data/spider/database');
    const references: Reference[] = lines.map((line) => JSON.parse(line));
    const asked = references.filter(({ model }) => model === 'small').filter((_, index) => index % STEP === 0);
    const different: string[] = [];
    for (const { db_id, question, pred } of asked) {
      const text = await answer(join(databases, db_id, `${db_id}.sqlite`), question);
      if (text !== pred) different.push(`${question}\n  reference ${pred}\n  here      ${text}`);
    }
    assert.ok(asked.length >= 10);
    assert.ok(different.length <= asked.length * (1 - LEAST_EQUAL), different.join('\n'));
  });
});

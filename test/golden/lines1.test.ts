import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { renderLines1, SYSTEM_PROMPT } from '../../src/core/schema/lines1.ts';
import { IndexedScan } from '../../src/core/schema/value-index.ts';
import type { Catalog } from '../../src/protocol/catalog.ts';
import { readCatalog } from '../../src/runtime/catalog.ts';
import { SandboxPool } from '../../src/runtime/sandbox/pool.ts';
import { scanValues } from '../../src/runtime/store/values.ts';
import { projectRoot } from '../support/cli.ts';
import { needShared, sharedFolder } from '../support/shared.ts';

interface Vector {
  db: string;
  question: string;
  evidence: string;
  system: string;
  user: string;
}

interface Known {
  catalog: Catalog;
  scan: IndexedScan;
}

function vectorsOf(path: string): Vector[] {
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): Vector => JSON.parse(line));
}

describe('prompt format lines-1', () => {
  const pool = new SandboxPool();
  const read = new Map<string, Promise<Known>>();
  after(() => pool.dispose());

  async function readAll(db: string): Promise<Known> {
    const catalog = await readCatalog(pool, db);
    const scan = await scanValues({ sandbox: pool, store: null, db, catalog, budgetMs: null });
    assert.deepEqual(scan.skipped, []);
    return { catalog, scan: new IndexedScan(scan) };
  }

  function known(db: string): Promise<Known> {
    const reading = read.get(db) ?? readAll(db);
    read.set(db, reading);
    return reading;
  }

  async function render(db: string, question: string, evidence: string) {
    return renderLines1({ ...(await known(db)), tables: null, question, evidence });
  }

  it('gives the reference messages for the bundled sample database, byte for byte', async () => {
    const vectors = vectorsOf(join(projectRoot, 'test/fixtures/lines1/chinook.jsonl'));
    assert.equal(vectors.length, 5);
    for (const { question, evidence, system, user } of vectors) {
      const prompt = await render(join(projectRoot, 'media/chinook.sqlite'), question, evidence);
      assert.equal(prompt.user, user);
      assert.equal(prompt.system, system);
    }
  });

  it('gives all 58 reference messages, byte for byte', async function () {
    const vectors = vectorsOf(needShared(this, 'models/prompts.jsonl'));
    assert.equal(vectors.length, 58);
    for (const { db, question, evidence, system, user } of vectors) {
      const prompt = await render(join(sharedFolder, db), question, evidence);
      assert.equal(prompt.user, user);
      assert.equal(prompt.system, system);
    }
  });

  it('gives the message of every Spider pair that the adapters were trained on', async function () {
    const file = needShared(this, 'data/pairs/train.jsonl.gz');
    const pairs = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n');
    const spider = pairs
      .map((line): { source: string; db_id: string; user: string } => JSON.parse(line))
      .filter(({ source }) => source === 'spider');
    assert.ok(spider.length > 8000);
    for (const { db_id, user } of spider) {
      const question = user.slice(user.lastIndexOf('\nQuestion: ') + '\nQuestion: '.length);
      const prompt = await render(join(sharedFolder, `data/spider/database/${db_id}/${db_id}.sqlite`), question, '');
      assert.equal(prompt.user, user);
    }
  });

  it('has a stable prefix that is the same for every question on a database', async () => {
    const db = join(projectRoot, 'media/chinook.sqlite');
    const prompts = [
      await render(db, 'How many customers live in Brazil?', ''),
      await render(db, 'Top 3 artists by revenue', 'revenue refers to sum(UnitPrice)'),
    ];
    const prefixes = new Set(prompts.map(({ user, stablePrefix }) => user.slice(0, stablePrefix)));
    assert.equal(prefixes.size, 1);
    for (const { user, stablePrefix } of prompts) {
      assert.match(user.slice(stablePrefix), /^(?:Values:|Evidence: |Question: )/);
      assert.ok(user.slice(0, stablePrefix).endsWith('\n'));
    }
    assert.equal(prompts[0]?.system, SYSTEM_PROMPT);
  });
});

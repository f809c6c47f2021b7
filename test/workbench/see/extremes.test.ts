import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { sqlAgent } from '../../support/cli.ts';
import { useWorkbench } from './support.ts';
import { clipboard, itemView } from './views.ts';

const upTo = (most: number) =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${most}) SELECT i FROM n`;

/** Questions whose answers are at the edge of what a view can show. */
const QUESTIONS = [
  {
    id: 'odd',
    question: 'Odd cells \u202ebackwards?',
    sql: "SELECT x'00ff' AS bytes, CAST(x'fffe41' AS TEXT) AS broken, char(8238) || 'abc' AS turned, 9007199254740993 AS big",
    answer:
      "SELECT x'00fe' AS bytes, CAST(x'fffe41' AS TEXT) AS broken, char(8238) || 'abc' AS turned, 9007199254740993 AS big",
  },
  { id: 'million', question: 'A million rows?', sql: upTo(1_000_000), answer: upTo(999_999) },
  { id: 'long', question: 'A megabyte of SQL?', sql: 'SELECT 1', answer: `SELECT ${'1 + '.repeat(240_000)}nowhere` },
  { id: 'bare', question: 'Without turns?', sql: 'SELECT 1', answer: 'SELECT 2' },
];

async function prepare(workspace: string): Promise<void> {
  const suite = QUESTIONS.map(({ answer: _, ...line }) => JSON.stringify({ ...line, database: 'chinook.sqlite' }));
  writeFileSync(join(workspace, 'edge.sql-tests.jsonl'), `${suite.join('\n')}\n`);
  const script = join(workspace, '..', 'edge.json');
  const byQuestion = Object.fromEntries(QUESTIONS.map(({ question, answer }) => [question, { text: answer }]));
  writeFileSync(script, JSON.stringify({ protocol: 'one_shot', name: 'novice', byQuestion }));
  const call = ['eval', '--dataset', 'edge.sql-tests.jsonl', '--provider', 'scripted', '--script', script, '--json'];
  const { code, stdout, stderr } = await sqlAgent([...call, '--retries', '0'], {
    cwd: workspace,
    env: { SQL_AGENT_HOME: join(workspace, '..', 'home'), SQL_AGENT_RESULTS: '' },
  });
  if (code !== 0) throw new Error(`eval ended with ${code}: ${stderr}`);
  const items = join(workspace, 'results', JSON.parse(stdout).run_id, 'items.jsonl');
  const records = readFileSync(items, 'utf8').trim().split('\n');
  const changed = records.map((line) => {
    const record = JSON.parse(line);
    return JSON.stringify(record.id === 'bare' ? { ...record, turns: [] } : record);
  });
  writeFileSync(items, `${changed.join('\n')}\n`);
}

describe('items at the edge of what can be shown, as a person sees them', () => {
  const workbench = useWorkbench({ prepare });
  let view: FrameLocator;
  const row = (name: string | RegExp) =>
    workbench()
      .page.locator('[id="workbench.view.extension.sqlAgent"] .monaco-list-row')
      .filter({ hasText: name })
      .first();
  const unfold = async (name: string | RegExp) => await row(name).locator('.monaco-tl-twistie').click();
  const cells = async (side: string) => {
    const found = view.getByRole('grid', { name: `Rows of ${side}` }).getByRole('gridcell');
    await found.first().waitFor();
    // Rows that are on their way are a sign.
    await found.filter({ hasText: /^…$/ }).first().waitFor({ state: 'detached' });
    return await found.allInnerTexts();
  };

  before(async function () {
    this.timeout(60_000);
    await workbench().page.getByRole('tab', { name: 'SQL Agent' }).click();
    await unfold('novice');
    await unfold(/^Wrong rows/);
  });

  it('blobs, text that is not UTF-8, signs that turn the writing, whole numbers beyond 2^53', async () => {
    await row('Odd cells').click();
    view = await itemView(workbench().page);
    await view.locator('.compared strong', { hasText: '1 row missing, 1 row extra' }).waitFor();
    const [bytes = '', broken = '', turned = '', big = ''] = await cells('Predicted');
    assert.match(bytes, /^x'00fe' 2 B/);
    assert.match(broken, /not UTF-8/);
    assert.match(turned, /^\ufffdabc/);
    assert.equal(big, '9007199254740993');
  });

  it('results of a million rows: the first of them, and that there are more', async () => {
    await row('A million rows').click();
    await view.getByRole('heading', { name: 'A million rows?' }).waitFor();
    await view
      .getByText(/first 10,000 rows/)
      .first()
      .waitFor();
  });

  it('a record without turns', async () => {
    await row('Without turns').click();
    await view.getByRole('heading', { name: 'Without turns?' }).waitFor();
    await view.locator('.compared strong', { hasText: '1 row missing, 1 row extra' }).waitFor();
  });

  it('a query of a megabyte', async () => {
    await unfold(/^SQL error/);
    await row('A megabyte of SQL').click();
    await view.getByRole('heading', { name: 'A megabyte of SQL?' }).waitFor();
    const sql = view.getByLabel('SQL of Predicted', { exact: true });
    await sql.waitFor();
    assert.equal((await sql.textContent())?.length, 20_000);
    await view.getByText('and 940,014 more characters: the query is whole where it is opened or copied').waitFor();
    // The view still answers.
    await view.getByRole('button', { name: 'Copy SQL of Predicted' }).click();
    assert.equal((await clipboard(workbench().page, /nowhere$/)).length, QUESTIONS[2]?.answer.length);
  });
});

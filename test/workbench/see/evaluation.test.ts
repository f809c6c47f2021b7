import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { answerInput, notification, quickRow, runCommand } from '../../../scripts/workbench/browser.ts';
import { sqlAgent } from '../../support/cli.ts';
import { useWorkbench } from './support.ts';

const SUITE = 'shop.sql-tests.jsonl';
const NAMES = ['north', 'south', 'east', 'gone'];
const MISSING = '1 database not found: gone';
const TITLE = 'SQL Agent: Run Evaluation…';

/** Two questions on each of four databases, one of which is missing; half of the databases are a sealed split. */
async function prepare(workspace: string): Promise<void> {
  for (const name of NAMES)
    if (name !== 'gone') copyFileSync(join(workspace, 'chinook.sqlite'), join(workspace, `${name}.sqlite`));
  const lines = NAMES.flatMap((name) =>
    ['albums', 'artists'].map((what) => ({
      id: `${name}-${what}`,
      database: `${name}.sqlite`,
      question: `How many ${what} has ${name}?`,
      sql: `SELECT count(*) FROM ${what === 'albums' ? 'Album' : 'Artist'}`,
    })),
  );
  writeFileSync(join(workspace, SUITE), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const call = ['split', '--dataset', SUITE, '--part', 'open=0.5', '--part', 'held=0.5', '--seal', 'held'];
  const { code, stderr } = await sqlAgent(call, { cwd: workspace });
  if (code !== 0) throw new Error(`split ended with ${code}: ${stderr}`);
}

describe('the steps of "Run Evaluation…", as a person sees them', () => {
  const workbench = useWorkbench({ prepare });
  const input = (): Locator => workbench().page.locator('.quick-input-widget');
  const step = async (placeholder: string) => await input().getByPlaceholder(placeholder).waitFor();
  const back = async () => await input().locator('.codicon-quick-input-back').click();
  const pick = async (text: string) => await quickRow(workbench().page, text).click();
  const reason = async () => await input().getByText('Why the sealed split "held" is opened').waitFor();

  /** What is answered, step by step, to come to a model; each is the last of none of them. */
  const way: readonly [() => Promise<void>, string][] = [
    [() => step('The file with the questions'), SUITE],
    [() => step(MISSING), 'Go on without them'],
    [() => step('Which items'), 'No split'],
    [() => step('Which model answers'), 'as the settings say'],
    [() => step('How many items'), 'Another number…'],
  ];

  before(() => {
    workbench().setScript({ protocol: 'one_shot', name: 'tiny', replies: ['SELECT count(*) FROM Album'], loop: true });
  });

  for (const last of way.keys())
    it(`begin nothing where step ${last + 1} is left`, async () => {
      const { page, workspace } = workbench();
      await runCommand(page, TITLE);
      for (const [index, [isShown, answer]] of way.entries()) {
        await isShown();
        if (index === last) break;
        await pick(answer);
      }
      await page.keyboard.press('Escape');
      await input().waitFor({ state: 'hidden' });
      assert.ok(!existsSync(join(workspace, 'results')));
    });

  it('lead back one by one', async () => {
    const { page } = workbench();
    await runCommand(page, TITLE);
    for (const [isShown, answer] of way.slice(0, 4)) {
      await isShown();
      await pick(answer);
    }
    for (const [isShown] of way.slice(0, 4).reverse()) {
      await back();
      await isShown();
    }
    assert.equal(await input().locator('.codicon-quick-input-back').count(), 0);
    await page.keyboard.press('Escape');
  });

  it('open a sealed split for a reason only, which the ledger keeps', async () => {
    const { page, workspace } = workbench();
    await runCommand(page, TITLE);
    await pick(SUITE);
    await pick('Go on without them');
    await quickRow(page, 'held').getByText('sealed: opening it needs a reason').waitFor();
    await pick('held');
    await reason();
    await page.keyboard.press('Enter');
    await input().getByText('A reason is needed').waitFor();
    await back();
    await step('Which items');
    await pick('held');
    await answerInput(page, 'Why the sealed split', 'the paper is written');
    await pick('as the settings say');
    await pick('All 4 items');
    await notification(page, /Evaluation done: tiny on shop/).waitFor();
    const ledger = readFileSync(join(workspace, 'results/ledger.jsonl'), 'utf8');
    assert.match(ledger, /the paper is written/);
  });

  it('say what is wrong with a file that is no dataset', async () => {
    const { page, workspace } = workbench();
    writeFileSync(join(workspace, 'bad.sql-tests.jsonl'), '{"id": 1}\n');
    await runCommand(page, TITLE);
    await pick('bad.sql-tests.jsonl');
    await notification(page, /bad\.sql-tests\.jsonl/).waitFor();
    await input().waitFor({ state: 'hidden' });
  });
});

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator, Locator } from 'playwright-core';
import { notification, openFile, quickRow, runCommand } from '../../../scripts/workbench/browser.ts';
import { useWorkbench } from './support.ts';
import { askView, databaseView, itemView, nameless } from './views.ts';

const ALBUMS = 'SELECT count(*) AS albums FROM Album';
const GENRES = 'SELECT Name FROM Genre ORDER BY GenreId LIMIT 3';
const SUITE = 'tests.sql-tests.jsonl';
const EXPLORER = 'Testing: Focus on Test Explorer View';

describe('questions as tests, as a person sees them', () => {
  const workbench = useWorkbench();
  let view: FrameLocator;

  const row = (text: string | RegExp): Locator =>
    workbench().page.locator('.test-explorer .monaco-list-row').filter({ hasText: text }).first();
  const suiteFile = () => join(workbench().workspace, SUITE);
  const savedLines = () =>
    readFileSync(suiteFile(), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line): Record<string, string> => JSON.parse(line));

  function script(byQuestion: Record<string, string>): void {
    workbench().setScript({ protocol: 'one_shot', name: 'tiny', byQuestion, id: Math.random() });
  }

  async function ask(text: string): Promise<void> {
    const question = view.getByRole('textbox', { name: 'Question' });
    await question.fill(text);
    await question.press('Control+Enter');
    await view.getByRole('heading', { name: text }).waitFor();
  }

  async function unfold(line: Locator): Promise<void> {
    await line.waitFor();
    if ((await line.getAttribute('aria-expanded')) !== 'true') await line.locator('.monaco-tl-twistie').click();
  }

  before(async () => {
    const { page } = workbench();
    script({ 'How many albums?': ALBUMS, 'Name three genres.': GENRES, 'What fails?': 'SELECT nowhere' });
    await openFile(page, 'chinook.sqlite');
    await (await databaseView(page)).getByRole('button', { name: 'Ask…' }).click();
    view = await askView(page);
  });

  it('are saved from an answer by a button, by keys alone, into a file that is made', async () => {
    const { page } = workbench();
    await ask('How many albums?');
    const save = view.getByRole('button', { name: 'Save as Test' });
    await save.focus();
    await page.keyboard.press('Enter');
    await notification(page, `Saved as test chinook-1 in ${SUITE}.`).waitFor();
    await view.getByRole('status').getByText('Saved as test chinook-1').waitFor({ state: 'attached' });
    assert.deepEqual(savedLines(), [
      { id: 'chinook-1', database: 'chinook.sqlite', question: 'How many albums?', sql: ALBUMS },
    ]);
    assert.deepEqual(await nameless(view.locator('ask-app')), []);
  });

  it('are in the Test Explorer at once', async () => {
    const { page } = workbench();
    await notification(page, 'Saved as test').getByRole('button', { name: 'Show Tests' }).click();
    await unfold(row(/^tests/));
    await unfold(row('chinook.sqlite'));
    await row('How many albums?').waitFor();
    await ask('Name three genres.');
    await view.getByRole('button', { name: 'Save as Test' }).click();
    await row('Name three genres.').waitFor();
  });

  it('cannot be saved where the query did not run', async () => {
    await ask('What fails?');
    await view.getByText('no such column: nowhere').first().waitFor();
    assert.equal(await view.getByRole('button', { name: 'Save as Test' }).count(), 0);
  });

  it('ask what to do where the question is there already, and replace it when told', async () => {
    const { page } = workbench();
    await ask('Name three genres.');
    await view.getByRole('button', { name: 'Edit', exact: true }).click();
    const editor = view.getByRole('textbox', { name: 'SQL' });
    await editor.fill('SELECT Name FROM Genre LIMIT 3');
    await editor.press('Control+Enter');
    await view.getByRole('button', { name: 'Save as Test: your version' }).click();
    await page.locator('.monaco-dialog-box', { hasText: 'has this question already, as chinook-2' }).waitFor();
    await page.getByRole('button', { name: 'Replace', exact: true }).click();
    await notification(page, `Replaced test chinook-2 in ${SUITE}.`).waitFor();
    assert.deepEqual(
      savedLines().map(({ id, sql }) => [id, sql]),
      [
        ['chinook-1', ALBUMS],
        ['chinook-2', 'SELECT Name FROM Genre LIMIT 3'],
      ],
    );
    await view.getByRole('button', { name: 'Save as Test: your version' }).click();
    await notification(page, `It is in ${SUITE} already, as chinook-2.`).waitFor();
    assert.equal(savedLines().length, 2);
  });

  it('run by one key, each with what came of it, and keep a ledger', async () => {
    const { page, workspace } = workbench();
    script({ 'How many albums?': ALBUMS, 'Name three genres.': "SELECT 'Rock' UNION ALL SELECT 'Polka'" });
    await runCommand(page, EXPLORER);
    await runCommand(page, 'Test: Run All Tests');
    await row(/How many albums\?/)
      .locator('.codicon-testing-passed-icon')
      .waitFor({ timeout: 60_000 });
    await row(/Name three genres\./)
      .locator('.codicon-testing-failed-icon')
      .waitFor();
    await row(/Name three genres\./)
      .getByText('wrong rows')
      .waitFor();
    assert.ok(existsSync(join(workspace, 'results/ledger.jsonl')));
  });

  it('show the rows that differ, and a button that leads to the item', async () => {
    const { page } = workbench();
    await row(/Name three genres\./).click();
    const peek = page.locator('.peekview-widget');
    await peek.getByTitle('2 rows missing, 1 extra of 3 (row_count)').waitFor();
    for (const name of ['Jazz', 'Metal', 'Polka']) await peek.getByText(name, { exact: true }).first().waitFor();
    assert.equal(await peek.getByText('Rock', { exact: true }).count(), 0);
    await page.getByText('Open Item', { exact: true }).click();
    const item = await itemView(page);
    await item.getByText('Name three genres.').first().waitFor();
    await item.getByText('Polka', { exact: true }).first().waitFor();
  });

  it('have buttons beside their lines in the file', async () => {
    const { page } = workbench();
    await openFile(page, SUITE);
    await page.locator('.editor-instance .testing-run-glyph').first().waitFor();
    assert.equal(await page.locator('.editor-instance .testing-run-glyph').count(), 2);
  });

  it('follow the file: a line that is written into it is a test, and a fault is told', async () => {
    const line = { id: 'by hand', database: 'gone.sqlite', question: 'Written by hand?', sql: 'SELECT 1' };
    writeFileSync(suiteFile(), `${readFileSync(suiteFile(), 'utf8')}${JSON.stringify(line)}\n`);
    await unfold(row('gone.sqlite'));
    await row('Written by hand?').waitFor();
    writeFileSync(suiteFile(), `${readFileSync(suiteFile(), 'utf8')}{"id": \n`);
    await row('line 4').waitFor();
    writeFileSync(suiteFile(), readFileSync(suiteFile(), 'utf8').replace('{"id": \n', ''));
    await row('How many albums?').waitFor();
  });

  it('have their results again after the window was reloaded', async () => {
    const { page } = workbench();
    await page.reload();
    await page.locator('.monaco-workbench .activitybar').waitFor();
    await runCommand(page, EXPLORER);
    await unfold(row(/^tests/));
    await unfold(row('chinook.sqlite'));
    await row(/Name three genres\./)
      .getByText('wrong rows')
      .waitFor();
    await row(/Name three genres\./)
      .locator('.codicon-testing-failed-icon')
      .waitFor();
    await row(/How many albums\?/)
      .locator('.codicon-testing-passed-icon')
      .waitFor();
  });

  it('ask which file where there are several', async () => {
    const { page, workspace } = workbench();
    writeFileSync(join(workspace, 'more.sql-tests.jsonl'), '');
    await page.getByRole('tab', { name: /^Ask chinook\.sqlite/ }).click();
    view = await askView(page);
    script({ 'How many genres?': 'SELECT count(*) FROM Genre' });
    await ask('How many genres?');
    await view.getByRole('button', { name: 'Save as Test', exact: true }).click();
    await quickRow(page, 'more.sql-tests.jsonl').click();
    await notification(page, 'Saved as test chinook-1 in more.sql-tests.jsonl.').waitFor();
    await notification(page, 'Saved as test').getByRole('button', { name: 'Open', exact: true }).click();
    await page.locator('.tab.active', { hasText: 'more.sql-tests.jsonl' }).waitFor();
  });
});

describe('questions as tests in a folder that is not trusted', () => {
  const workbench = useWorkbench({
    workspaceTrust: true,
    settings: { 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.banner': 'never' },
  });

  it('are shown, and run once the folder is trusted', async () => {
    const { page, workspace, setScript } = workbench();
    setScript({ protocol: 'one_shot', replies: [ALBUMS], loop: true });
    const line = { id: 'a', database: 'chinook.sqlite', question: 'How many albums?', sql: ALBUMS };
    writeFileSync(join(workspace, SUITE), `${JSON.stringify(line)}\n`);
    await openFile(page, SUITE);
    const glyph = page.locator('.editor-instance .testing-run-glyph');
    await glyph.waitFor();
    await runCommand(page, 'Test: Run All Tests');
    await page.getByText('Running tests may execute code in your workspace.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    assert.ok(!existsSync(join(workspace, 'results')));
    await runCommand(page, 'Test: Run All Tests');
    await page.getByRole('button', { name: 'Trust Folder & Continue' }).click();
    await page.locator('.editor-instance .codicon-testing-passed-icon').waitFor();
    assert.ok(existsSync(join(workspace, 'results/ledger.jsonl')));
  });
});

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { answerInput, notification, quickRow, runCommand } from '../../../scripts/workbench/browser.ts';
import { evaluate, SUITE, scriptOf, writeSuite } from './music-suite.ts';
import { useWorkbench } from './support.ts';
import { askView, clipboard, compareView, itemView, keptByWorkbench, nameless, refusals, reportView } from './views.ts';

describe('runs in the editor, as a person sees them', () => {
  const workbench = useWorkbench();
  let view: FrameLocator;
  let refused: string[] = [];
  /** Id of the run of the second model. */
  let beta = '';

  const row = (name: string | RegExp) =>
    workbench()
      .page.locator('[id="workbench.view.extension.sqlAgent"] .monaco-list-row')
      .filter({ hasText: name })
      .first();
  const unfold = async (name: string | RegExp) => await row(name).locator('.monaco-tl-twistie').click();
  const status = (text: string | RegExp) => workbench().page.locator('.statusbar-item', { hasText: text }).first();
  const firstCells = async (side: string) => {
    const cells = view.getByRole('grid', { name: `Rows of ${side}` }).getByRole('gridcell');
    await cells.first().waitFor();
    // Rows that are on their way are a sign.
    await cells.filter({ hasText: /^…$/ }).first().waitFor({ state: 'detached' });
    return await cells.allInnerTexts();
  };
  const differs = async (text: string) => await view.locator('.compared strong', { hasText: text }).waitFor();
  /** Waits until the rows of a side have so many signs, and compares them. */
  const signs = async (side: string, ...expected: string[]) => {
    const found = view.getByRole('grid', { name: `Rows of ${side}` }).locator('.sign');
    await found.nth(expected.length - 1).waitFor();
    assert.deepEqual(await found.allInnerTexts(), expected);
  };

  before(() => {
    const { page, workspace } = workbench();
    refused = refusals(page);
    writeSuite(workspace);
  });

  it('begin with an empty view that says what an evaluation is and leads to one', async () => {
    const { page, setScript } = workbench();
    setScript(scriptOf('alpha', 400));
    await page.getByRole('tab', { name: 'SQL Agent' }).click();
    await page.getByText('No evaluation has run in this folder yet').waitFor();
    await page.getByRole('button', { name: 'Run Evaluation…' }).last().click();
    await quickRow(page, SUITE).click();
    await quickRow(page, 'as the settings say').waitFor();
    await page.locator('.quick-input-titlebar .codicon-quick-input-back').click();
    await quickRow(page, SUITE).click();
    await quickRow(page, 'as the settings say').click();
    await quickRow(page, 'Another number…').click();
    await answerInput(page, 'How many of the 8 items', '9');
    await page.getByText('A whole number from 1 to 8').waitFor();
    await answerInput(page, 'A whole number from 1 to 8', '8');
  });

  it('show how an evaluation goes on, in the view and in the status bar, and tell its end', async () => {
    const { page } = workbench();
    await status(/EX \d+\.\d %, [1-7] of 8/).waitFor();
    await row(/alpha.*[1-7] of 8/).waitFor();
    const told = notification(
      page,
      /Evaluation done: alpha on music\.sql-tests\.jsonl, EX 37\.5 % \(13\.7 to 69\.4\), 8 of 8/,
    );
    await told.waitFor();
    await status(/EX \d/).waitFor({ state: 'detached' });
    await told.getByRole('button', { name: 'Open Report' }).click();
    const report = await reportView(page);
    await report.getByText('37.5 % right under official_ex, 3 of 8 items').waitFor();
    assert.equal(await report.locator('script').count(), 0);
  });

  it('follow the ledger: a run of the command line comes by itself, with a sparkline', async () => {
    const { page, workspace } = workbench();
    beta = await evaluate(workspace, 'beta');
    await row(/beta · no retries50\.0 % ▁█/).waitFor();
    await row(SUITE).getByText('2 runs').waitFor();
    await row('beta').hover();
    await page.locator('.workbench-hover').getByText('oldest first: 37.5 %, 50.0 %').waitFor();
  });

  it('unfold to what came of the items, and to the items', async () => {
    await unfold('alpha');
    await row('Wrong rows3 · 38 %').waitFor();
    await row('SQL error1 · 13 %').waitFor();
    await row('No SQL1 · 13 %').waitFor();
    await row('Right3 · 38 %').waitFor();
    await unfold('Wrong rows');
    await row('List the names of all genres.').waitFor();
  });

  it('open an item: question, verdict, both queries with the rows that are missing', async () => {
    const { page } = workbench();
    await row('List the names of all genres.').click();
    view = await itemView(page);
    await view.getByRole('heading', { name: 'List the names of all genres.' }).waitFor();
    await view.getByText('The results have different numbers of rows.').waitFor();
    await view.getByText('official EX wrong').waitFor();
    assert.equal(
      await view.getByLabel('SQL of Predicted', { exact: true }).textContent(),
      'SELECT Name FROM Genre WHERE GenreId > 3',
    );
    assert.equal(await view.getByLabel('SQL of Gold', { exact: true }).textContent(), 'SELECT Name FROM Genre');
    await differs('3 rows missing');
    await view.locator('side-view .bar', { hasText: '22 rows' }).waitFor();
    await signs('Gold', '−', '−', '−');
    assert.equal(await view.getByRole('grid', { name: 'Rows of Predicted' }).locator('.sign').count(), 0);
    await view.getByRole('rowheader', { name: 'missing from the prediction, row 1', exact: true }).waitFor();
    await view
      .getByRole('status')
      .getByText(/3 rows missing\.$/)
      .waitFor({ state: 'attached' });
  });

  it('show the rows that differ alone, each with its number, where there are many', async () => {
    const { page } = workbench();
    await view.getByRole('button', { name: 'Next item with this outcome' }).click();
    await view.getByText('Evidence: Country names are in English').waitFor();
    await differs('1 row missing, 1 row extra');
    await signs('Predicted', '+');
    await signs('Gold', '−');
    await view.locator('item-app').press('Alt+PageDown');
    await view.getByText('2 rows of 3,503 differ').waitFor();
    await view.getByRole('rowheader', { name: 'missing from the prediction, row 2820' }).waitFor();
    assert.deepEqual((await firstCells('Gold')).slice(0, 2), ['Occupation / Precipice', '5286953']);
    await view.getByRole('checkbox', { name: 'Only rows that differ' }).uncheck();
    await view.getByText('3,503 rows', { exact: true }).waitFor();
    await view.getByRole('grid', { name: 'Rows of Gold' }).getByRole('gridcell').first().click();
    await page.keyboard.press('Control+End');
    await view.locator('side-view').last().locator('#cell-3502-0').waitFor();
    assert.ok((await view.getByRole('grid', { name: 'Rows of Gold' }).getByRole('row').count()) < 60);
    await view.getByRole('checkbox', { name: 'Only rows that differ' }).check();
    await view.getByText('2 rows of 3,503 differ').waitFor();
  });

  it('show rows that stand another number of times, and rows in another order', async () => {
    await unfold(/^Right/);
    await row('title begins with B').click();
    await differs('5 rows repeated another number of times');
    await view.getByText('Under official EX it is right all the same.').waitFor();
    await signs('Gold', ...Array.from({ length: 5 }, () => '×1:2'));
    await view.getByText('Duplicated rows').waitFor();
    await view.getByRole('checkbox', { name: 'Only rows that differ' }).uncheck();
    await row('5 longest').click();
    await differs('4 rows elsewhere');
    await signs('Predicted', '↕', '↕', '↕', '↕');
  });

  it('show why a query failed, and the way to it', async () => {
    await unfold(/^SQL error/);
    await row('media types').click();
    await view.getByText('no such column: Nam (line 1, column 8)').first().waitFor();
    assert.equal(await view.locator('side-view .wrong').textContent(), 'Nam');
    await view.getByText('Steps').click();
    await view.getByText('tables shown (full)').waitFor();
    await view.getByRole('heading', { name: 'Ran a query' }).first().waitFor();
    await unfold(/^No SQL/);
    await row('best employee').click();
    await view.getByText('There is no SQL.').waitFor();
    await view.getByRole('grid', { name: 'Rows of Gold' }).getByText('Andrew').waitFor();
  });

  it('copy rows and SQL, and open SQL as an editor', async () => {
    const { page } = workbench();
    await row('Which customers live in Brazil').click();
    await differs('1 row missing, 1 row extra');
    await view.getByRole('button', { name: 'Copy SQL of Gold' }).click();
    const gold = "SELECT FirstName, LastName FROM Customer WHERE Country = 'Brazil'";
    assert.equal(await clipboard(page, gold), gold);
    await view.locator('side-view').first().getByRole('button', { name: 'Copy', exact: true }).click();
    await view.getByRole('menuitem', { name: 'Copy as CSV' }).click();
    assert.match(await clipboard(page, /^FirstName,/), /^FirstName,LastName\r\nLuís,Gonçalves\r\n/);
    assert.deepEqual(await nameless(view.locator('item-app')), []);
  });

  it('lead from an item to its question, asked anew', async () => {
    const { page } = workbench();
    await view.getByRole('button', { name: 'Ask This Question Again' }).click();
    const ask = await askView(page);
    const box = ask.getByRole('textbox', { name: 'Question' });
    await box.waitFor();
    assert.match(await box.inputValue(), /^Which customers live in Brazil\?/);
    assert.match(await ask.getByRole('textbox', { name: 'Evidence' }).inputValue(), /^Country names are in English/);
    await runCommand(page, 'View: Close Editor');
    await page.getByRole('tab', { name: /^Ask chinook/ }).waitFor({ state: 'detached' });
  });

  it('compare: two picks, then the headline, both shares, and the flips side by side', async () => {
    const { page } = workbench();
    await runCommand(page, 'SQL Agent: Compare Runs…');
    await quickRow(page, 'beta').click();
    await quickRow(page, /alpha.*37\.5 %/).click();
    view = await compareView(page);
    await view.getByRole('heading', { name: /of 8 items B gains 2 and loses 1\.$/ }).waitFor();
    await view.getByLabel('Run A').getByText('37.5 % 13.7 to 69.4 %').waitFor();
    await view.getByLabel('Run B').getByText('50.0 % 21.5 to 78.5 %').waitFor();
    await view.getByLabel('Difference').getByText('+12.5 points p = 1.00').waitFor();
    const list = view.getByRole('listbox');
    assert.equal(await list.getByRole('option').count(), 3);
    await view.getByRole('heading', { name: 'How many artists are there?' }).waitFor();
    await differs('B: 1 row missing, 1 row extra');
    assert.deepEqual((await firstCells('Predicted by A'))[0], '275');
    assert.deepEqual((await firstCells('Predicted by B'))[0], '347');
    await signs('Gold', '−');
  });

  it('walk the flips by the keyboard, and filter them', async () => {
    const { page } = workbench();
    await view.getByRole('listbox').focus();
    await page.keyboard.press('End');
    await view.getByRole('heading', { name: /^Which customers live in Brazil/ }).waitFor();
    await differs('A: 1 row missing, 1 row extra');
    await view.getByRole('searchbox', { name: /^Filter/ }).fill('genres');
    await view.getByRole('option', { name: /gained: List the names of all genres/ }).waitFor();
    assert.equal(await view.getByRole('listbox').getByRole('option').count(), 1);
    await view.getByLabel('Which flips').selectOption('lost');
    await view.getByText('No flip has these words.').waitFor();
    await view.getByLabel('Which flips').selectOption('all');
    await view.getByRole('searchbox', { name: /^Filter/ }).fill('');
    assert.deepEqual(await nameless(view.locator('compare-app')), []);
  });

  it('have tables by database and difficulty, and what the runs differ in', async () => {
    const line = async (name: string) =>
      (
        await view
          .getByRole('row', { name: new RegExp(`^${name}`) })
          .first()
          .getByRole('cell')
          .allInnerTexts()
      ).join(' ');
    assert.equal(await line('moderate'), '3 66.7 % 100.0 % +33.3 1 0');
    assert.equal(await line('chinook'), '8 37.5 % 50.0 % +12.5 2 1');
    await view.getByRole('row', { name: 'model alpha beta' }).waitFor();
    await view.getByRole('button', { name: 'Copy as Markdown' }).click();
    assert.match(await clipboard(workbench().page, /^# /), /beta \(B\) against alpha \(A\)/);
  });

  it('lead from a flip to the item of either run', async () => {
    const { page } = workbench();
    await view.getByRole('button', { name: 'Open Item of A' }).click();
    const item = await itemView(page);
    await item.getByRole('heading', { name: /^Which customers live in Brazil/ }).waitFor();
    await item.getByText('alpha on music.sql-tests.jsonl').waitFor();
  });

  it('are there again after the window was reloaded', async function () {
    this.timeout(180_000);
    const { page } = workbench();
    await page.getByRole('tab', { name: /^alpha → beta/ }).click();
    await compareView(page);
    await keptByWorkbench(page, beta);
    await page.reload();
    await page.locator('.monaco-workbench .activitybar').waitFor();
    await page.getByRole('tab', { name: /^alpha → beta/ }).click();
    const compared = await compareView(page);
    await compared.getByRole('heading', { name: /of 8 items B gains 2 and loses 1\.$/ }).waitFor();
    await compared.getByRole('grid', { name: 'Rows of Gold' }).waitFor();
    await page.getByRole('tab', { name: /^chinook · / }).click();
    view = await itemView(page);
    await differs('1 row missing, 1 row extra');
    await page.getByRole('tab', { name: /^Report / }).click();
    await (await reportView(page)).getByText('37.5 % right under official_ex').waitFor();
  });

  it('show the queries without rows where the database is gone, and lead to the folder that has it', async () => {
    const { page, workspace } = workbench();
    mkdirSync(join(workspace, 'elsewhere'));
    renameSync(join(workspace, 'chinook.sqlite'), join(workspace, 'elsewhere', 'chinook.sqlite'));
    await page.getByRole('tab', { name: /^chinook · / }).click();
    view = await itemView(page);
    await view.getByRole('button', { name: 'Previous item with this outcome' }).click();
    await view.getByText(/^The database "chinook" of music\.sql-tests\.jsonl was not found/).waitFor();
    assert.equal(await view.getByLabel('SQL of Gold', { exact: true }).textContent(), 'SELECT Name FROM Genre');
    assert.equal(await view.getByRole('button', { name: 'Open Database' }).isDisabled(), true);
    await view.getByRole('button', { name: 'Choose Folder…' }).click();
    await quickRow(page, 'elsewhere').click();
    await quickRow(page, 'elsewhere').waitFor({ state: 'detached' });
    await page.locator('.quick-input-widget').getByRole('button', { name: 'Use Folder' }).click();
    await differs('3 rows missing');
    renameSync(join(workspace, 'elsewhere', 'chinook.sqlite'), join(workspace, 'chinook.sqlite'));
  });

  it('go on where they were broken off', async () => {
    const { page, workspace, setScript } = workbench();
    setScript(scriptOf('alpha', 400));
    const results = join(workspace, 'results');
    const ledger = readFileSync(join(results, 'ledger.jsonl'), 'utf8').split('\n');
    const { run_id: id }: { run_id: string } = JSON.parse(ledger[0] ?? '');
    const broken = join(results, `${id}-broken`);
    cpSync(join(results, id), broken, { recursive: true });
    const items = readFileSync(join(broken, 'items.jsonl'), 'utf8').split('\n');
    writeFileSync(join(broken, 'items.jsonl'), `${items.slice(0, 3).join('\n')}\n`);
    const file = readFileSync(join(broken, 'run.json'), 'utf8').replaceAll(id, `${id}-broken`);
    writeFileSync(join(broken, 'run.json'), file);
    await row(/unfinished, 3 of 8/).hover();
    await row(/unfinished, 3 of 8/)
      .getByRole('button', { name: 'Resume' })
      .click();
    await notification(page, /Evaluation done: alpha .* 8 of 8 items/).waitFor();
    await row(SUITE).getByText('3 runs').waitFor();
    const kept = readFileSync(join(broken, 'items.jsonl'), 'utf8').trim().split('\n');
    assert.deepEqual(kept.slice(0, 3), items.slice(0, 3));
    assert.equal(kept.length, 8);
    await page.keyboard.press('Escape');
  });

  it('stop when told, and keep what was finished', async () => {
    const { page, setScript } = workbench();
    setScript({ ...scriptOf('beta', 1500), name: 'slow' });
    await runCommand(page, 'SQL Agent: Run Evaluation…');
    await quickRow(page, SUITE).click();
    await quickRow(page, 'as the settings say').click();
    await quickRow(page, 'All 8 items').click();
    await status(/EX .*[1-7] of 8/).click();
    await quickRow(page, 'Stop').click();
    await notification(page, /Evaluation stopped: slow .* [1-7] of 8 items/).waitFor();
    await row(/slow.*stopped, [1-7] of 8/).waitFor();
  });

  it('did nothing that a policy refuses', () => {
    assert.deepEqual(refused, []);
  });
});

describe('evaluations in Restricted Mode', () => {
  const workbench = useWorkbench({
    workspaceTrust: true,
    settings: { 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.banner': 'never' },
  });

  it('are off, and say so; their results can be looked at', async () => {
    const { page, workspace } = workbench();
    writeSuite(workspace);
    await evaluate(workspace, 'alpha');
    await page.getByRole('tab', { name: 'SQL Agent' }).click();
    const row = (name: string) => page.locator('.pane-body .monaco-list-row').filter({ hasText: name }).first();
    await row('alpha').waitFor();
    await runCommand(page, 'SQL Agent: Run Evaluation…');
    await notification(page, 'Running evaluations is off in Restricted Mode').waitFor();
    await runCommand(page, 'SQL Agent: Open Report');
    await quickRow(page, 'alpha').click();
    await (await reportView(page)).getByText('37.5 % right under official_ex').waitFor();
  });
});

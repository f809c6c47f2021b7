import assert from 'node:assert/strict';
import type { FrameLocator, Locator } from 'playwright-core';
import { openFile, runCommand } from '../../../scripts/workbench/browser.ts';
import { evaluateMistakes } from './mistakes-suite.ts';
import { useWorkbench } from './support.ts';
import {
  askView,
  clipboard,
  databaseView,
  diagnosisView,
  itemView,
  keptByWorkbench,
  nameless,
  refusals,
} from './views.ts';

const SPENT = 'SELECT sum(i.Total) FROM Invoice i JOIN InvoiceLine l ON l.InvoiceId = i.InvoiceId';

describe('why rows are wrong, as a person sees it', () => {
  const workbench = useWorkbench();
  let view: FrameLocator;
  let refused: string[] = [];

  const row = (name: string | RegExp) =>
    workbench()
      .page.locator('[id="workbench.view.extension.sqlAgent"] .monaco-list-row')
      .filter({ hasText: name })
      .first();
  const unfold = async (name: string | RegExp) => await row(name).locator('.monaco-tl-twistie').click();
  const section = () => view.locator('diagnosis-section');
  const verdict = async (text: string | RegExp) => await section().locator('.verdict', { hasText: text }).waitFor();
  /** What is written there, on one line. */
  const textOf = async (locator: Locator) => ((await locator.textContent()) ?? '').replaceAll(/\s+/g, ' ').trim();
  const editorText = async () => await textOf(workbench().page.locator('.monaco-editor .view-lines').last());

  before(async () => {
    const { page, workspace } = workbench();
    refused = refusals(page);
    await evaluateMistakes(workspace);
    await page.getByRole('tab', { name: 'SQL Agent' }).click();
    await unfold('novice');
    await unfold(/^Wrong rows/);
  });

  it('names the step at which the rows part, in a sentence and in the steps of both queries', async () => {
    await row('How much did each customer spend').click();
    view = await itemView(workbench().page);
    await verdict('JOIN gives the same rows as the gold, but another number of times.');
    const steps = section().getByRole('table', { name: 'Steps of both queries with their rows' });
    const parts = steps.getByRole('row', { name: /The rows part here/ });
    assert.equal(await parts.count(), 1);
    assert.match(await textOf(parts), /JOIN InvoiceLine l ON l\.InvoiceId = i\.InvoiceId/);
    assert.match(await textOf(parts), /Multiplies: 5\.44 rows on average for one row of i/);
    assert.match(await textOf(parts), /2,240/);
    await section().getByText('Join too many').waitFor();
  });

  it('marks the place in the SQL while it is pointed at, and leads there', async () => {
    const predicted = view.locator('side-view[label=Predicted] .marked');
    const step = section()
      .getByRole('table', { name: 'Steps of both queries with their rows' })
      .getByRole('button', { name: /JOIN InvoiceLine/ })
      .first();
    await step.focus();
    await predicted.first().waitFor({ state: 'attached' });
    assert.equal((await predicted.allTextContents()).join(''), 'JOIN InvoiceLine l ON l.InvoiceId = i.InvoiceId');
    await step.blur();
    await predicted.first().waitFor({ state: 'detached' });
    await section().getByRole('button', { name: 'Show in the SQL' }).click();
    await predicted.first().waitFor();
  });

  it('offers a repair as an edit, to be copied or opened', async () => {
    const { page } = workbench();
    await section().getByText('One edit gives the gold’s rows').waitFor();
    const repaired = (await section().getByLabel('Repaired SQL').textContent()) ?? '';
    assert.doesNotMatch(repaired, /InvoiceLine/);
    await section().getByRole('button', { name: 'Copy Repaired SQL' }).click();
    assert.equal(await clipboard(page, /sum/), repaired);
    await section().getByRole('button', { name: 'Open as .sql' }).click();
    await page.getByRole('tab', { name: /Untitled-1/ }).waitFor();
    assert.doesNotMatch(await editorText(), /InvoiceLine/);
    await runCommand(page, 'View: Revert and Close Editor');
    await page.getByRole('tab', { name: /Untitled-1/ }).waitFor({ state: 'detached' });
  });

  it('puts changed rows beside each other, with the cells that differ', async () => {
    const table = section().getByRole('table', { name: 'Rows that differ, beside each other' });
    await section().getByText('59 changed').waitFor();
    const first = table.getByRole('row').nth(1);
    assert.match(await textOf(first), /Luís ?Gonçalves ?\+predicted338\.62 ?−gold39\.62/);
    assert.equal(await first.locator('.differs').count(), 1);
    await table.getByRole('rowheader', { name: 'changed' }).first().waitFor();
  });

  it('opens the smallest rows on which the queries differ as statements', async () => {
    const { page } = workbench();
    await section().getByRole('button', { name: 'Smallest Rows' }).click();
    await page.getByRole('tab', { name: /Untitled-/ }).waitFor({ timeout: 60_000 });
    await page.locator('.monaco-editor .view-line', { hasText: 'the queries below still differ on them' }).waitFor();
    assert.match(await editorText(), /CREATE TABLE/);
    await runCommand(page, 'View: Revert and Close Editor');
    await page.getByRole('tab', { name: /Untitled-/ }).waitFor({ state: 'detached' });
  });

  it('tells of a missing row where it was dropped and how true each condition is for it', async () => {
    await row('Which customers have no company').click();
    await verdict(/WHERE drops \d+ rows that the gold keeps/);
    const missing = section().getByRole('table', { name: 'In the gold alone' });
    const why = missing.getByRole('row').nth(1).locator('.why');
    assert.match(await textOf(why), /dropped by WHERE ?Company = '' is NULL ?CustomerId > 10 is true/);
    await row('Which customers live in Brazil').click();
    await verdict(/WHERE drops 5 rows that the gold keeps/);
    await section().getByText('Case or white space in a filter').waitFor();
    assert.match(await textOf(section().locator('.edits')), /'brazil' →becomes'Brazil'/);
  });

  it('suggests how the columns would have to be arranged', async () => {
    await row('Show first and last name of the employees').click();
    await section()
      .getByText(/Column 1 of the gold \(FirstName\) is column 2 here/)
      .waitFor();
    await section()
      .getByText(/With that put right the rows are the gold’s\./)
      .waitFor();
  });

  it('opens the steps of a WITH where the rows part in it', async () => {
    await row('How many albums have more than twenty tracks').click();
    view = await itemView(workbench().page);
    await verdict('In WITH long: HAVING drops 2 groups that the gold keeps.');
    const opened = section().locator('details.inside[open]');
    assert.equal(await opened.count(), 2);
    const inside = opened.first();
    await inside.getByText('The rows part here').waitFor();
    assert.equal(await section().getByText('The rows part here').count(), 1);
    assert.match(await textOf(inside), /WITH long.*The rows part here.*HAVING count\(\*\) > 21/);
  });

  it('says where a query that does not run is wrong, and nothing of one whose rows are right', async () => {
    await unfold(/^SQL error/);
    await row('names of the media types').click();
    await verdict(/no such column: Nam/);
    await unfold(/^Right/);
    await row('How many genres').click();
    await view.getByRole('heading', { name: 'How many genres are there?' }).waitFor();
    await view.getByText('Both results have the same rows', { exact: true }).waitFor();
    assert.equal(await section().count(), 0);
    assert.deepEqual(await nameless(view.locator('item-app')), []);
  });

  it('leads to the debugger, with the query beside its gold', async () => {
    const { page } = workbench();
    await row('How much did each customer spend').click();
    await verdict('JOIN gives the same rows');
    await section().getByRole('button', { name: 'Debug' }).click();
    await page.locator('.debug-toolbar').waitFor();
    await runCommand(page, 'View: Show Run and Debug');
    await page.locator('.debug-call-stack').getByText(/gold/i).first().waitFor();
    await runCommand(page, 'Debug: Stop');
    await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
    await page.getByRole('tab', { name: 'SQL Agent' }).click();
  });

  it('is there again after the window was reloaded', async function () {
    this.timeout(180_000);
    const { page } = workbench();
    await row('How much did each customer spend').click();
    view = await itemView(page);
    await verdict('JOIN gives the same rows');
    await keptByWorkbench(page, 'fan-out');
    await page.reload();
    await page.locator('.monaco-workbench .activitybar').waitFor();
    view = await itemView(page);
    await verdict('JOIN gives the same rows');
    await section().getByText('One edit gives the gold’s rows').waitFor();
  });

  it('checks the query of an answer alone, and beside the right one', async () => {
    const { page, setScript } = workbench();
    setScript({ protocol: 'one_shot', name: 'tiny', replies: [{ text: SPENT }] });
    await openFile(page, 'chinook.sqlite');
    const database = await databaseView(page);
    await database.getByRole('button', { name: 'Ask…' }).click();
    const ask = await askView(page);
    await ask.getByRole('textbox', { name: 'Question' }).fill('How much was spent in all?');
    await ask.getByRole('textbox', { name: 'Question' }).press('Control+Enter');
    await ask.getByRole('button', { name: 'Check This Query' }).click();
    view = await diagnosisView(page);
    await section().getByRole('heading', { name: 'What the query shows' }).waitFor();
    await section().getByText('Join multiplies rows').waitFor();
    await view.getByRole('grid', { name: 'Rows' }).getByText('20848.62').waitFor();
    await view.getByRole('textbox', { name: 'The right SQL' }).fill('SELECT sum(Total) FROM Invoice');
    await view.getByRole('textbox', { name: 'The right SQL' }).press('Control+Enter');
    await section().getByRole('heading', { name: 'Why are the rows wrong?' }).waitFor();
    await section().getByText('1 changed').waitFor();
    await section().locator('.edits').waitFor();
    assert.deepEqual(await nameless(view.locator('diagnosis-app')), []);
  });

  it('keeps both queries over a reload, and looks again', async function () {
    this.timeout(180_000);
    const { page } = workbench();
    await keptByWorkbench(page, 'SELECT sum(Total) FROM Invoice');
    await page.reload();
    await page.locator('.monaco-workbench .activitybar').waitFor();
    await page.getByRole('tab', { name: /^Check chinook\.sqlite/ }).click();
    view = await diagnosisView(page);
    assert.equal(
      await view.getByRole('textbox', { name: 'The right SQL' }).inputValue(),
      'SELECT sum(Total) FROM Invoice',
    );
    assert.equal(await view.getByRole('textbox', { name: 'Query', exact: true }).inputValue(), SPENT);
    await section().locator('.edits').waitFor();
  });

  it('did nothing that a policy refuses', () => {
    assert.deepEqual(refused, []);
  });
});

import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { openFile, runCommand } from '../../../scripts/workbench/browser.ts';
import { useWorkbench } from './support.ts';
import { askView, clipboard, databaseView, keptByWorkbench, nameless, refusals } from './views.ts';

const MOST_ALBUMS =
  'SELECT Artist.Name, count(*) AS albums FROM Artist JOIN Album ON Album.ArtistId = Artist.ArtistId GROUP BY Artist.ArtistId ORDER BY albums DESC LIMIT 5';
const ACCURACY = 'About half of the answers of this model are right.';
const action = (fields: Record<string, unknown>) => `\`\`\`json\n${JSON.stringify(fields)}\n\`\`\``;

describe('the ask panel, as a person sees it', () => {
  const workbench = useWorkbench();
  let view: FrameLocator;
  let refused: string[] = [];

  const question = () => view.getByRole('textbox', { name: 'Question' });

  async function ask(text: string): Promise<void> {
    await question().fill(text);
    await question().press('Control+Enter');
  }

  function oneShot(...replies: unknown[]): void {
    workbench().setScript({ protocol: 'one_shot', name: 'tiny', accuracy: ACCURACY, replies, id: Math.random() });
  }

  before(async () => {
    const { page } = workbench();
    refused = refusals(page);
    oneShot({ text: MOST_ALBUMS, tokenDelayMs: 20 });
    await openFile(page, 'chinook.sqlite');
    const database = await databaseView(page);
    await database.getByRole('button', { name: 'Ask…' }).click();
    view = await askView(page);
  });

  it('opens beside the database with the cursor in the box, and says how good the model is', async () => {
    await question().waitFor();
    await view.getByText(ACCURACY).waitFor();
    await view.locator('ask-composer #question:focus').waitFor();
    assert.equal(await view.getByRole('button', { name: 'Ask', exact: true }).isDisabled(), true);
  });

  it('shows the reply while it is written, then rows, shape, SQL and model', async () => {
    await ask('Which 5 artists have the most albums?');
    await view.getByLabel('The reply that is being written').getByText('SELECT Artist.Name').waitFor();
    await view.locator('ask-outcome').getByText('5 rows', { exact: true }).waitFor();
    const grid = view.getByRole('grid', { name: 'Answer' });
    assert.deepEqual(
      await grid
        .getByRole('gridcell')
        .allInnerTexts()
        .then((cells) => cells.slice(0, 2)),
      ['Iron Maiden', '21'],
    );
    await view.getByText('The shape agrees').waitFor();
    await view.getByText('Expected: 5 rows (by the wording of the question).').waitFor();
    await view.getByText('Got: 5 rows with 2 columns (Name: text; albums: a whole number).').waitFor();
    assert.equal(await view.getByLabel('SQL of the answer').locator('pre').textContent(), MOST_ALBUMS);
    await view.getByText(`Answered by tiny in one shot. ${ACCURACY}`).waitFor();
    await view.getByRole('status').getByText('Answer: 5 rows.').waitFor({ state: 'attached' });
  });

  it('unfolds its steps: tables, turns, their SQL', async () => {
    await view.getByText('Steps').click();
    await view.getByText('Tables the model was shown: all 11 tables').waitFor();
    await view.getByRole('heading', { name: 'Ran a query' }).waitFor();
  });

  it('copies the SQL and the result', async () => {
    const { page } = workbench();
    await view.getByRole('button', { name: 'Copy SQL' }).click();
    await view.getByText('Copied.', { exact: true }).first().waitFor({ state: 'attached' });
    assert.equal(await clipboard(page, MOST_ALBUMS), MOST_ALBUMS);
    await view.getByRole('button', { name: 'Copy', exact: true }).click();
    await view.getByRole('menuitem', { name: 'Copy as CSV' }).click();
    await view.getByText('Copied 5 rows as CSV.').first().waitFor({ state: 'attached' });
    const csv = /^Name,albums\r\nIron Maiden,21\r\n/;
    assert.match(await clipboard(page, csv), csv);
  });

  it('closes its menu when the focus goes elsewhere in the window', async () => {
    const { page } = workbench();
    await view.getByRole('button', { name: 'Copy', exact: true }).click();
    await view.getByRole('menuitem', { name: 'Copy as CSV' }).waitFor();
    await page.keyboard.press('F1');
    await page.locator('.quick-input-widget input').first().waitFor();
    await view.getByRole('menuitem', { name: 'Copy as CSV' }).waitFor({ state: 'hidden' });
    await page.locator('.quick-input-widget input:focus').waitFor();
    await page.keyboard.press('Escape');
  });

  it('runs the SQL as the user edits it, and marks where it is wrong', async () => {
    await view.getByRole('button', { name: 'Edit', exact: true }).click();
    const editor = view.getByRole('textbox', { name: 'SQL' });
    await editor.fill('SELECT Nam FROM Genre');
    await editor.press('Control+Enter');
    await view.getByText('no such column: Nam (line 1, column 8)').waitFor();
    assert.equal(await view.locator('sql-editor .wrong').textContent(), 'Nam');
    await editor.fill('DELETE FROM Genre');
    await editor.press('Control+Enter');
    await view.getByLabel('Your version of the SQL').getByText('Refused').waitFor();
    await editor.fill('SELECT Name FROM Genre ORDER BY GenreId');
    await view.getByRole('button', { name: 'Run', exact: true }).click();
    await view.getByRole('grid', { name: 'Result of your version' }).getByText('Rock', { exact: true }).waitFor();
    await view.getByText('25 rows', { exact: true }).waitFor();
  });

  it('is there again after the window was reloaded: answer, edited SQL, unfinished question', async () => {
    const { page } = workbench();
    await question().fill('and which have the fewest');
    await keptByWorkbench(page, 'and which have the fewest');
    await page.reload();
    await page.locator('.monaco-workbench .activitybar').waitFor();
    view = await askView(page);
    await view.getByRole('grid', { name: 'Answer' }).getByText('Iron Maiden').waitFor();
    await view.getByRole('grid', { name: 'Result of your version' }).getByText('Rock', { exact: true }).waitFor();
    assert.equal(await question().inputValue(), 'and which have the fewest');
    assert.equal(
      await view.getByRole('textbox', { name: 'SQL' }).inputValue(),
      'SELECT Name FROM Genre ORDER BY GenreId',
    );
    await view.getByRole('button', { name: 'Close your version' }).click();
  });

  it('opens the SQL as an editor', async () => {
    const { page } = workbench();
    await view.getByRole('button', { name: 'Open as Editor' }).click();
    await page.locator('.editor-instance .view-line', { hasText: 'SELECT' }).first().waitFor();
    await page.locator('.tab.active', { hasText: 'Untitled-1' }).waitFor();
  });

  it('takes the last answer along in a follow-up, unless its chip is removed', async () => {
    oneShot('SELECT count(*) AS n FROM Album');
    await view.getByRole('button', { name: 'Ask a Follow-up' }).click();
    const chip = view.getByText('Follow-up to: Which 5 artists have the most albums?');
    await chip.waitFor();
    assert.equal(await question().inputValue(), '');
    await ask('How many albums are there in all?');
    await view.getByRole('heading', { name: 'How many albums are there in all?' }).waitFor();
    await view.locator('ask-outcome').getByText('1 row', { exact: true }).waitFor();
    assert.equal(await view.getByText('Follow-up to: Which 5 artists').count(), 1);
    await view.getByRole('button', { name: 'Ask a Follow-up' }).click();
    await view.getByRole('button', { name: 'Ask without the last answer' }).click();
    assert.equal(await view.getByText('Follow-up to: How many albums').count(), 0);
  });

  it('stops when told, and asks the same again', async () => {
    oneShot({ text: 'SELECT count(*) AS n FROM Track', tokenDelayMs: 60_000 }, 'SELECT count(*) AS n FROM Track');
    await ask('How many tracks are there?');
    await view.getByText('Writing', { exact: true }).waitFor();
    await view.getByRole('button', { name: 'Stop' }).click();
    await view.getByRole('heading', { name: 'Stopped' }).waitFor();
    await view.getByRole('button', { name: 'Run Again' }).click();
    await view.getByRole('grid', { name: 'Answer' }).getByText('3503').waitFor();
  });

  it('says what failed, and what to do', async () => {
    oneShot({
      text: '',
      error: { code: 'provider_down', message: 'The server does not answer. Start it and ask again.' },
    });
    await ask('Will this work?');
    await view.getByText('The server does not answer. Start it and ask again.').first().waitFor();
    await view.getByRole('button', { name: 'Run Again' }).waitFor();
  });

  it('shows turns of a larger model: tables, errors with their place, duplicated rows, a shape that differs', async () => {
    const { page, setScript } = workbench();
    const joined = 'SELECT g.Name FROM Genre g JOIN Track t ON t.GenreId = g.GenreId';
    setScript({
      protocol: 'turns',
      name: 'large',
      replies: [
        action({ action: 'inspect', table: 'Genre' }),
        action({ action: 'query', sql: 'SELECT Nam FROM Genre' }),
        action({ action: 'query', sql: joined }),
        action({
          action: 'final',
          sql: joined,
          expected: { rows: 'at most 25', columns: [{ name: 'Name', kind: 'text' }] },
        }),
      ],
    });
    await view.getByRole('button', { name: 'Evidence' }).click();
    await page.keyboard.type('a genre has tracks if Track.GenreId names it');
    await ask('Which genres have tracks?');
    await view.locator('ask-outcome').getByText('the first 1,000 rows, there are more').waitFor();
    await view.getByText('The shape differs').waitFor();
    await view.getByText('Expected: at most 25 rows with one column (Name: text) (the model said so).').waitFor();
    await view.getByText(/999 of 1,000 rows are equal to an earlier one/).waitFor();
    await view.getByText('Evidence: a genre has tracks if Track.GenreId names it').waitFor();
    await view.getByText('Steps').click();
    await view.getByRole('heading', { name: 'Looked at a table' }).waitFor();
    await view.getByText('no such column: Nam (line 1, column 8)').waitFor();
    await view.getByText('Answered by large in turns.').waitFor();
  });

  it('asks for the rows of a large result page by page', async () => {
    const { page } = workbench();
    const grid = view.getByRole('grid', { name: 'Answer' });
    await grid.getByRole('gridcell').first().click();
    await page.keyboard.press('Control+End');
    await view.locator('#cell-999-0').waitFor();
    assert.ok((await grid.getByRole('row').count()) < 60);
  });

  it('shows the vote where more than one sample was asked for', async () => {
    oneShot('SELECT count(*) FROM Album', 'SELECT count(*) + 1 FROM Album', 'SELECT count(AlbumId) FROM Album');
    await view.getByLabel('Samples').selectOption('3');
    await ask('How many albums?');
    await view.getByText('Vote: 2 of 3 samples gave this result').click();
    assert.equal(await view.locator('.vote li').count(), 2);
  });

  it('keeps the questions, to be asked again or forgotten', async () => {
    await view.getByRole('button', { name: 'History' }).click();
    const items = view.getByRole('list', { name: 'Questions asked before' }).getByRole('listitem');
    assert.match((await items.first().textContent()) ?? '', /How many albums\?.*1 row · just now/s);
    await items.filter({ hasText: 'Will this work?' }).hover();
    await view.getByRole('button', { name: 'Remove “Will this work?” from the history' }).click();
    await items.filter({ hasText: 'Will this work?' }).waitFor({ state: 'detached' });
    await items.filter({ hasText: 'Which 5 artists' }).locator('.pick').click();
    assert.equal(await question().inputValue(), 'Which 5 artists have the most albums?');
  });

  it('is one panel for each database, from the palette too', async () => {
    const { page } = workbench();
    await page.getByRole('tab', { name: /^chinook\.sqlite/ }).click();
    await databaseView(page);
    await runCommand(page, 'SQL Agent: Ask…');
    assert.equal(await page.getByRole('tab', { name: /^Ask chinook\.sqlite/ }).count(), 1);
    assert.equal(await question().inputValue(), 'Which 5 artists have the most albums?');
  });

  it('names everything that can be acted on', async () => {
    await view.getByRole('button', { name: 'Edit', exact: true }).click();
    assert.deepEqual(await nameless(view.locator('ask-app')), []);
  });

  it('did nothing that its policy refuses, which would have been seen', async () => {
    assert.deepEqual(refused, []);
    const inline = (element: { setAttribute(name: string, value: string): void }) =>
      element.setAttribute('style', 'top: 0');
    await view.locator('ask-app').evaluate(inline);
    assert.equal(refused.length, 1);
  });
});

describe('the ask panel in Restricted Mode', () => {
  const workbench = useWorkbench({
    workspaceTrust: true,
    settings: {
      'security.workspace.trust.startupPrompt': 'never',
      'security.workspace.trust.banner': 'never',
      'workbench.editor.useModal': 'off',
    },
  });

  it('lets databases be viewed, and says how to have questions answered', async () => {
    const { page, setScript } = workbench();
    setScript({ protocol: 'one_shot', replies: ['SELECT count(*) FROM Album'] });
    await openFile(page, 'chinook.sqlite');
    const database = await databaseView(page);
    await database.getByRole('heading', { name: 'Album' }).waitFor();
    await database.getByRole('button', { name: 'Ask…' }).click();
    const view = await askView(page);
    await view.getByText('Asking is off in Restricted Mode.').waitFor();
    await view.getByRole('textbox', { name: 'Question' }).fill('How many albums?');
    assert.equal(await view.getByRole('button', { name: 'Ask', exact: true }).isDisabled(), true);
    await view.getByRole('button', { name: 'Manage Trust' }).click();
    await page.getByText('You are in Restricted Mode').waitFor();
    await page.getByRole('button', { name: 'Trust', exact: true }).click();
    await page.getByText('You trust this folder').waitFor();
    await openFile(page, 'chinook.sqlite');
    await (await databaseView(page)).getByRole('button', { name: 'Ask…' }).click();
    const trusted = await askView(page);
    await trusted.getByText('Asking is off in Restricted Mode.').waitFor({ state: 'detached' });
    await trusted.getByRole('textbox', { name: 'Question' }).fill('How many albums are there?');
    await trusted.getByRole('button', { name: 'Ask', exact: true }).click();
    await trusted.getByRole('grid', { name: 'Answer' }).getByText('347').waitFor();
  });
});

describe('the ask panel with the bundled model', () => {
  const workbench = useWorkbench({ env: { SQL_AGENT_SCRIPT: '' } });

  it('answers a question from its own weights', async function () {
    this.timeout(180_000);
    const { page, storage } = workbench();
    await openFile(page, 'chinook.sqlite');
    await (await databaseView(page)).getByRole('button', { name: 'Ask…' }).click();
    const view = await askView(page);
    await view
      .getByText(/more than half of the answers/i)
      .first()
      .waitFor();
    await view.getByRole('textbox', { name: 'Question' }).fill('How many albums are there?');
    await view.getByRole('textbox', { name: 'Question' }).press('Control+Enter');
    await view.getByRole('grid', { name: 'Answer' }).getByText('347').waitFor({ timeout: 150_000 });
    await view.getByText(/Answered by small in one shot\./i).waitFor();
    assert.ok(existsSync(join(storage, 'models')) && readdirSync(join(storage, 'models')).length > 0);
  });
});

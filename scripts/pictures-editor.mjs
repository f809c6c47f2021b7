// The pictures of the editor that `npm run pictures` takes: a database, questions, models, a diagnosis, the debugger.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { evaluateMistakes } from '../test/workbench/see/mistakes-suite.ts';
import { itemView } from '../test/workbench/see/views.ts';
import { openFile, openWorkbench, quickRow, runCommand, webview } from './workbench/browser.ts';

/** In the order in which they are shown. */
export const EDITOR_PICTURES = ['database-editor', 'ask-panel', 'choose-model', 'diagnosis', 'debugger'];
const QUESTION = 'Show the first and last names and the total invoice amount of the 3 customers who spent the most.';
/** A query and its gold, which differ in a condition. */
const GOLD = `SELECT a.Name, count(*) AS albums
FROM Artist a
JOIN Album b ON b.ArtistId = a.ArtistId
WHERE a.Name LIKE 'A%'
GROUP BY a.Name
ORDER BY albums DESC
`;
const PREDICTED = GOLD.replace("'A%'", "'A%' AND b.AlbumId > 2");

/**
 * Shows one picture after another. `page` is to be taken before the next is asked for.
 * @param {object} options
 * @param {import('playwright-core').Browser} options.browser
 * @param {string} options.url of a workbench's server
 * @param {string} options.workspace folder with `chinook.sqlite`, which the window opens
 * @returns {AsyncGenerator<{ page: import('playwright-core').Page, name: string }>}
 */
export async function* editorPictures({ browser, url, workspace }) {
  const page = await openWorkbench(browser, url, workspace, { width: 1280, height: 800 });
  await page.getByRole('tab', { name: 'SQL Agent' }).click();
  const row = (name) => page.locator('.pane-body .monaco-list-row').filter({ hasText: name }).first();
  await row('chinook.sqlite').locator('.monaco-tl-twistie').click();
  await row(/^Album/)
    .locator('.monaco-tl-twistie')
    .click();
  await row('→ Artist.ArtistId').waitFor();
  await openFile(page, 'chinook.sqlite');
  await webview(page).getByRole('grid').getByRole('gridcell').first().waitFor();
  yield { page, name: 'database-editor' };

  // The side bar makes room for the panel.
  await page.keyboard.press('Control+B');
  await runCommand(page, 'SQL Agent: Ask…');
  const panel = webview(page, 1);
  // The first question waits for the model to be read; the second is answered as all later ones are.
  for (const question of ['How many albums are there?', QUESTION]) {
    await panel.getByRole('textbox').first().fill(question);
    await page.keyboard.press('Control+Enter');
    await panel.getByRole('heading', { name: question }).waitFor({ timeout: 120_000 });
    await panel.getByRole('grid').getByRole('gridcell').first().waitFor({ timeout: 120_000 });
    await panel.getByRole('button', { name: 'Ask a Follow-up' }).waitFor({ timeout: 120_000 });
  }
  yield { page, name: 'ask-panel' };

  await runCommand(page, 'SQL Agent: Choose Model…');
  await quickRow(page, 'coder').waitFor();
  yield { page, name: 'choose-model' };
  await page.keyboard.press('Escape');

  // A run whose answers are typical mistakes: why the rows of one of them are wrong.
  await evaluateMistakes(workspace);
  await page.getByRole('tab', { name: 'SQL Agent' }).click();
  const run = (name) =>
    page.locator('[id="workbench.view.extension.sqlAgent"] .monaco-list-row').filter({ hasText: name }).first();
  await run('novice').locator('.monaco-tl-twistie').click();
  await run(/^Wrong rows/)
    .locator('.monaco-tl-twistie')
    .click();
  await run('How much did each customer spend').click();
  await page.keyboard.press('Control+B');
  await (await itemView(page)).locator('diagnosis-section .edits').waitFor();
  await page.setViewportSize({ width: 1280, height: 1000 });
  yield { page, name: 'diagnosis' };
  await page.setViewportSize({ width: 1280, height: 800 });

  // A query in the debugger, where its rows part from its gold's.
  await runCommand(page, 'View: Close All Editors');
  writeFileSync(join(workspace, 'artists.sql'), PREDICTED);
  writeFileSync(join(workspace, 'artists.gold.sql'), GOLD);
  await openFile(page, 'artists.sql');
  await page.locator('.tab.active', { hasText: 'artists.sql' }).waitFor();
  await page.keyboard.press('F5');
  await quickRow(page, 'chinook.sqlite').click();
  await page.locator('.debug-toolbar').waitFor();
  await runCommand(page, 'View: Hide Panel');
  await runCommand(page, 'View: Show Run and Debug');
  const scope = (name) => page.locator('.debug-variables .monaco-list-row').filter({ hasText: name }).first();
  await scope('Rows after').waitFor();
  await page.locator('.editor-instance').getByText('275 rows').waitFor();
  await runCommand(page, 'Debug: Continue');
  await page.locator('.exception-widget').waitFor();
  // What is open is closed once its rows are there, to make room.
  await scope("Name 'Accept'").waitFor();
  await scope('Rows after').locator('.monaco-tl-twistie').click();
  await scope('Lost here').locator('.monaco-tl-twistie').click();
  await scope('[0..99]').locator('.monaco-tl-twistie').click();
  await scope('is false').waitFor();
  yield { page, name: 'debugger' };
}

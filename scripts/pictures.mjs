// `npm run pictures`: the pictures of README and walkthrough in docs/images, taken of the real workbench, with the
// bundled model answering. Look at them before you commit them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evaluateMistakes } from '../test/workbench/see/mistakes-suite.ts';
import { itemView } from '../test/workbench/see/views.ts';
import { build } from './build.mjs';
import { evaluationPictures } from './pictures-evaluation.mjs';
import { trainingPictures } from './pictures-training.mjs';
import { root } from './setup.mjs';
import { launchBrowser, openFile, openWorkbench, quickRow, runCommand, webview } from './workbench/browser.ts';
import { makeWorkspace } from './workbench/inside.ts';
import { startServer } from './workbench/server.ts';

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
const SETTINGS = { 'workbench.colorTheme': 'Default Light Modern', 'workbench.layoutControl.enabled': false };

const images = join(root, 'docs/images');
mkdirSync(images, { recursive: true });
await build();
const folder = mkdtempSync(join(tmpdir(), 'sql-agent-pictures-'));
const home = join(folder, 'home');
// The home folder is where paths begin with `~`: pictures tell nothing of the machine.
const env = { HOME: home, SQL_AGENT_HOME: join(folder, 'storage') };
const server = await startServer({ settings: SETTINGS, env });
const browser = await launchBrowser();

/** Saves what is seen, once nothing moves any more. */
async function picture(page, name) {
  await page.mouse.move(2, 2);
  // A hint that the mouse left behind fades.
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(images, `${name}.png`), animations: 'disabled', scale: 'css' });
  console.log(`docs/images/${name}.png`);
}

try {
  const page = await openWorkbench(browser, server.url, makeWorkspace(home));
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('tab', { name: 'SQL Agent' }).click();
  const row = (name) => page.locator('.pane-body .monaco-list-row').filter({ hasText: name }).first();
  await row('chinook.sqlite').locator('.monaco-tl-twistie').click();
  await row(/^Album/)
    .locator('.monaco-tl-twistie')
    .click();
  await row('→ Artist.ArtistId').waitFor();
  await openFile(page, 'chinook.sqlite');
  await webview(page).getByRole('grid').getByRole('gridcell').first().waitFor();
  await picture(page, 'database-editor');

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
  await picture(page, 'ask-panel');

  await runCommand(page, 'SQL Agent: Choose Model…');
  await quickRow(page, 'coder').waitFor();
  await picture(page, 'choose-model');
  await page.keyboard.press('Escape');

  // A run whose answers are typical mistakes: why the rows of one of them are wrong.
  await evaluateMistakes(join(home, 'workspace'));
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
  await picture(page, 'diagnosis');
  await page.setViewportSize({ width: 1280, height: 800 });

  // A query in the debugger, where its rows part from its gold's.
  await runCommand(page, 'View: Close All Editors');
  writeFileSync(join(home, 'workspace/artists.sql'), PREDICTED);
  writeFileSync(join(home, 'workspace/artists.gold.sql'), GOLD);
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
  await picture(page, 'debugger');
  await page.close();

  await evaluationPictures({ browser, url: server.url, workspace: makeWorkspace(join(home, 'music')), picture });
  await trainingPictures({ browser, url: server.url, workspace: makeWorkspace(join(home, 'training')), picture });
} finally {
  await browser.close();
  server.stop();
  rmSync(folder, { recursive: true, force: true });
}

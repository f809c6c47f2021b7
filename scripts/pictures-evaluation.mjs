// The pictures of evaluations that `npm run pictures` takes: runs, an item, a comparison, a report, the Test Explorer.
import { evaluate, SUITE, writeSuite } from '../test/workbench/see/music-suite.ts';
import { compareView, itemView, reportView } from '../test/workbench/see/views.ts';
import { openFile, openWorkbench, quickRow, runCommand } from './workbench/browser.ts';

/** In the order in which they are shown. */
export const EVALUATION_PICTURES = ['runs', 'compare-runs', 'report', 'test-explorer'];

/**
 * Shows one picture after another. `page` is to be taken before the next is asked for.
 * @param {object} options
 * @param {import('playwright-core').Browser} options.browser
 * @param {string} options.url of a workbench's server
 * @param {string} options.workspace folder with `chinook.sqlite`, which the window opens
 * @returns {AsyncGenerator<{ page: import('playwright-core').Page, name: string }>}
 */
export async function* evaluationPictures({ browser, url, workspace }) {
  writeSuite(workspace);
  await evaluate(workspace, 'alpha');
  await evaluate(workspace, 'beta');
  const page = await openWorkbench(browser, url, workspace, { width: 1280, height: 800 });
  const row = (name) =>
    page.locator('[id="workbench.view.extension.sqlAgent"] .monaco-list-row').filter({ hasText: name }).first();
  const unfold = async (name) => await row(name).locator('.monaco-tl-twistie').click();
  const close = () => runCommand(page, 'View: Close All Editors');

  await page.getByRole('tab', { name: 'SQL Agent' }).click();
  await row(/beta.*▁█/).waitFor();
  await unfold('alpha');
  await unfold(/^Wrong rows/);
  await row('Which customers live in Brazil').click();
  const item = await itemView(page);
  await item.locator('.compared strong', { hasText: '1 row missing, 1 row extra' }).waitFor();
  yield { page, name: 'runs' };

  await close();
  await runCommand(page, 'SQL Agent: Compare Runs…');
  await quickRow(page, 'beta').click();
  await quickRow(page, 'alpha').click();
  await runCommand(page, 'View: Toggle Primary Side Bar Visibility');
  const comparison = await compareView(page);
  await comparison.locator('.compared strong').first().waitFor();
  await page.setViewportSize({ width: 1280, height: 1000 });
  yield { page, name: 'compare-runs' };
  await page.setViewportSize({ width: 1280, height: 800 });

  await close();
  await runCommand(page, 'SQL Agent: Open Report');
  await quickRow(page, 'beta').click();
  await (await reportView(page)).getByText('right under official_ex').first().waitFor();
  yield { page, name: 'report' };

  await close();
  await openFile(page, SUITE);
  await runCommand(page, 'Testing: Focus on Test Explorer View');
  const test = (name) => page.locator('.test-explorer .monaco-list-row').filter({ hasText: name }).first();
  for (const line of [test(/^music/), test('chinook.sqlite')]) {
    await line.waitFor();
    if ((await line.getAttribute('aria-expanded')) !== 'true') await line.locator('.monaco-tl-twistie').click();
  }
  const failing = test('How many artists are there?');
  await failing.locator('.codicon-testing-failed-icon').waitFor();
  await failing.click();
  await page.locator('.peekview-widget').getByText('347').first().waitFor();
  yield { page, name: 'test-explorer' };
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openFile, quickRow, runCommand } from '../../../scripts/workbench/browser.ts';
import { useWorkbench } from './support.ts';

const QUERY = `SELECT a.Name, count(*) AS albums
FROM Artist a
JOIN Album b ON b.ArtistId = a.ArtistId
WHERE a.Name LIKE 'A%'
  AND b.AlbumId > 5
GROUP BY a.Name
ORDER BY albums DESC
`;
const GOLD = QUERY.replace('\n  AND b.AlbumId > 5', '');

describe('the debugger of queries, as a person sees it', () => {
  const workbench = useWorkbench();

  const editor = (page: Page) => page.locator('.editor-instance .view-lines');
  /** Text that VS Code writes behind a line. */
  const beside = (page: Page, text: string) => editor(page).getByText(text).first().waitFor();
  const variable = (page: Page, text: string | RegExp) =>
    page.locator('.debug-variables .monaco-list-row').filter({ hasText: text }).first();
  const frame = (page: Page, text: string | RegExp) =>
    page.locator('.debug-call-stack .monaco-list-row').filter({ hasText: text }).first();

  before(() => {
    const { workspace } = workbench();
    writeFileSync(join(workspace, 'artists.sql'), QUERY);
    writeFileSync(join(workspace, 'artists.gold.sql'), GOLD);
  });

  it('begins with F5 in a .sql file, asks for the database, and stops at FROM', async () => {
    const { page } = workbench();
    await openFile(page, 'artists.sql');
    await page.locator('.tab.active', { hasText: 'artists.sql' }).waitFor();
    await page.keyboard.press('F5');
    await quickRow(page, 'chinook.sqlite').click();
    await page.locator('.debug-toolbar').waitFor();
    await beside(page, '275 rows');
  });

  it('steps with F10, and shows rows, threads and the stack', async () => {
    const { page } = workbench();
    await page.keyboard.press('F10');
    await beside(page, '347 rows');
    await runCommand(page, 'View: Show Run and Debug');
    const rows = variable(page, 'Rows after this clause (347 rows)');
    await rows.waitFor();
    if ((await rows.getAttribute('aria-expanded')) !== 'true') await rows.locator('.monaco-tl-twistie').click();
    await variable(page, '[0..99]').locator('.monaco-tl-twistie').click();
    await variable(page, "Name 'AC/DC'").waitFor();
    await frame(page, 'gold').waitFor();
    await frame(page, 'predicted').locator('.monaco-tl-twistie').click();
    await frame(page, 'JOIN Album b · 347 rows').last().waitFor();
  });

  it('stops where the rows diverge from the gold beside the file, and says why', async () => {
    const { page } = workbench();
    await page.keyboard.press('F10');
    const widget = page.locator('.exception-widget');
    await widget.getByText('Rows diverge from gold').waitFor();
    await widget.getByText('WHERE drops 5 rows that the gold keeps.').waitFor();
    await widget.getByText('b.AlbumId > 5 is false').first().waitFor();
  });

  it('evaluates SQL over the rows of the step in the Debug Console', async () => {
    const { page } = workbench();
    await runCommand(page, 'Debug Console: Focus on Debug Console View');
    await page.keyboard.type('SELECT count(*) FROM rows');
    await page.keyboard.press('Enter');
    await page.locator('.repl .evaluation-result').last().getByText(/^\d+$/).waitFor();
  });

  it('ends at the end of the query, and knows the database the next time', async () => {
    const { page } = workbench();
    await page.keyboard.press('Shift+F5');
    await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
    await openFile(page, 'artists.sql');
    await page.keyboard.press('F5');
    await page.locator('.debug-toolbar').waitFor();
    await frame(page, 'FROM Artist a').waitFor();
  });

  it('stops where a query is wrong that does not run', async () => {
    const { page, workspace } = workbench();
    await page.keyboard.press('Shift+F5');
    await page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
    writeFileSync(join(workspace, 'wrong.sql'), 'SELECT Name\nFROM Artist\nWHERE Wages > 3\n');
    await openFile(page, 'wrong.sql');
    await page.keyboard.press('F5');
    await quickRow(page, 'chinook.sqlite').click();
    await frame(page, 'FROM Artist').waitFor();
    await page.keyboard.press('F10');
    const widget = page.locator('.exception-widget');
    await widget.getByText('The query does not run (line 3, column 7): no such column: Wages').waitFor();
    await frame(page, 'WHERE · does not run').waitFor();
  });
});

import type { Locator, Page } from 'playwright-core';
import { openWorkbench, quickRow, runCommand } from '../../../scripts/workbench/browser.ts';
import { SUITE, scriptOf, writeSuite } from './music-suite.ts';
import { useWorkbench } from './support.ts';

const row = (page: Page, name: string | RegExp): Locator =>
  page.locator('[id="workbench.view.extension.sqlAgent"] .monaco-list-row').filter({ hasText: name }).first();
const status = (page: Page, text: RegExp): Locator => page.locator('.statusbar-item', { hasText: text }).first();

describe('an evaluation and the windows around it, as a person sees them', () => {
  const workbench = useWorkbench({ prepare: writeSuite });
  let other: Page;

  async function begin(page: Page): Promise<void> {
    await runCommand(page, 'SQL Agent: Run Evaluation…');
    await quickRow(page, SUITE).click();
    await quickRow(page, 'as the settings say').click();
    await quickRow(page, 'All 8 items').click();
  }

  it('is shown as at work by another window on the same folder', async function () {
    this.timeout(120_000);
    const { browser, page, server, workspace, setScript } = workbench();
    setScript({ ...scriptOf('alpha', 4000), name: 'patient' });
    other = await openWorkbench(browser, server.url, workspace);
    await other.getByRole('tab', { name: 'SQL Agent' }).click();
    await other.getByText('No evaluation has run in this folder yet').waitFor();
    await page.getByRole('tab', { name: 'SQL Agent' }).click();
    await begin(page);
    await status(page, /[1-7] of 8/).waitFor();
    await row(other, /patient.*running in another process/).waitFor();
  });

  it('ends where its window is reloaded: what was finished is kept, in both windows', async function () {
    this.timeout(180_000);
    const { page } = workbench();
    await page.reload();
    await page.locator('.monaco-workbench .activitybar').waitFor();
    for (const window of [page, other]) await row(window, /patient.*stopped, [1-7] of 8/).waitFor({ timeout: 60_000 });
  });

  it('goes away where it is stopped before its first answer', async () => {
    const { page, setScript } = workbench();
    setScript({ ...scriptOf('beta', 60_000), name: 'slow' });
    await begin(page);
    const begun = status(page, /Evaluation begins|0 of 8/);
    await begun.click();
    await quickRow(page, 'Stop').click();
    await status(page, /Evaluation begins|of 8/).waitFor({ state: 'detached' });
    await row(page, 'slow')
      .filter({ hasText: /running/ })
      .waitFor({ state: 'detached' });
  });
});

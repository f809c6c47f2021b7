import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { runCommand } from '../../../scripts/workbench/browser.ts';
import { useWorkbench } from './support.ts';

/**
 * Shows the log by the palette. This VS Code at times drops the first wish to show a channel of an extension that the
 * same command has just activated; a user would say it again.
 */
async function showLog(page: Page, shown: Locator): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await runCommand(page, 'SQL Agent: Show Log');
    try {
      return await shown.waitFor({ state: 'attached', timeout: 8000 });
    } catch (error) {
      if (attempt === 4) throw error;
    }
  }
}

describe('the extension at rest, as a person sees it', () => {
  // An editor in a dialog would take the keys away from the rest of the window.
  const workbench = useWorkbench({ settings: { 'workbench.editor.useModal': 'off' } });
  const running = () => workbench().page.locator('.runtime-extensions-editor .monaco-list-row');
  const ours = () => running().filter({ hasText: 'SQL Agent Workbench' });

  it('does not run before it is used', async () => {
    const { page } = workbench();
    // A list has only the rows in the page that its window has room for.
    await page.setViewportSize({ width: 1400, height: 4000 });
    await runCommand(page, 'Developer: Show Running Extensions');
    await running().first().waitFor();
    assert.equal(await ours().count(), 0);
  });

  it('starts when its log is asked for, and shows the channel "SQL Agent"', async function () {
    // Each of up to four attempts may take as long as a window under load does.
    this.timeout(180_000);
    const { page } = workbench();
    const chosen = page.getByLabel('Output Section').getByLabel('Switch Output').locator('option:checked');
    await showLog(page, chosen);
    assert.equal(await chosen.textContent(), 'SQL Agent');
    await ours()
      .getByText(/Activation: \d+ms/)
      .waitFor();
  });
});

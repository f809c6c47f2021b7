import assert from 'node:assert/strict';
import { runCommand } from '../../../scripts/workbench/browser.ts';
import { useWorkbench } from './support.ts';

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

  it('starts when its log is asked for, and shows the channel "SQL Agent"', async () => {
    const { page } = workbench();
    await runCommand(page, 'SQL Agent: Show Log');
    const chosen = page.getByLabel('Output Section').getByLabel('Switch Output').locator('option:checked');
    assert.equal(await chosen.textContent(), 'SQL Agent');
    await ours()
      .getByText(/Activation: \d+ms/)
      .waitFor();
  });
});

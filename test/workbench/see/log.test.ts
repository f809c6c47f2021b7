import assert from 'node:assert/strict';
import { runCommand } from '../../../scripts/workbench/browser.ts';
import { useWorkbench } from './support.ts';

describe('Show Log, as a person sees it', () => {
  const workbench = useWorkbench();

  it('opens the Output view on the channel "SQL Agent"', async () => {
    const { page } = workbench();
    await runCommand(page, 'SQL Agent: Show Log');
    const chosen = page.getByLabel('Output Section').getByLabel('Switch Output').locator('option:checked');
    assert.equal(await chosen.textContent(), 'SQL Agent');
  });
});

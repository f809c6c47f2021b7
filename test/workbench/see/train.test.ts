import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { answerInput, notification, quickRow, runCommand } from '../../../scripts/workbench/browser.ts';
import { readLaunch, readTrainingRun } from '../../../src/runtime/trainer/run-files.ts';
import { pairsFile, tinyFolder } from '../../trainer/support/tiny-folder.ts';
import { useWorkbench } from './support.ts';
import { trainingView } from './views.ts';

describe('Train… with the trainer, as a person sees it', () => {
  const workbench = useWorkbench();
  let view: FrameLocator;

  before(() => {
    const { workspace } = workbench();
    tinyFolder(workspace);
    pairsFile(workspace, 24);
  });

  it('asks for data and base, shows the settings, and starts', async () => {
    const { page, workspace } = workbench();
    await runCommand(page, 'SQL Agent: Train…');
    await quickRow(page, 'pairs.jsonl').click();
    await quickRow(page, 'Hugging Face Folder…').click();
    const dialog = page.locator('.quick-input-widget', { hasText: 'Base Model' });
    // What is typed before the dialog has listed its folder is overwritten by it.
    await dialog.getByText('tiny', { exact: true }).first().waitFor();
    await dialog
      .locator('input')
      .first()
      .fill(`${join(workspace, 'tiny')}/`);
    await dialog.getByText('tiny', { exact: true }).first().waitFor({ state: 'hidden' });
    await dialog.getByRole('button', { name: 'Use Folder' }).click();
    await quickRow(page, /Rank of the adapterdefault: 16/).waitFor();
    await quickRow(page, 'Passes over the data').click();
    await answerInput(page, 'Passes over the data; empty: 3', '-1');
    await page.getByText('A number above 0').waitFor();
    await answerInput(page, 'A number above 0', '300');
    await quickRow(page, /Passes over the data300/).waitFor();
    await quickRow(page, 'Start').click();
    view = await trainingView(page);
    await view.getByText(/^step \d+ of 432 · loss \d/).waitFor();
    await view.getByText('tiny, 106,880 parameters').waitFor();
    await page.locator('.statusbar-item', { hasText: /step \d+ of 432, loss/ }).waitFor();
  });

  it('has started a process of its own, with what was said', async () => {
    const { workspace } = workbench();
    const [name, ...others] = readdirSync(join(workspace, 'training-runs'));
    assert.match(name ?? '', /^tiny-pairs-\d{8}-\d{6}$/);
    assert.deepEqual(others, []);
    const folder = join(workspace, 'training-runs', name ?? '');
    const run = await readTrainingRun(folder);
    assert.equal(run?.config.length.epochs, 300);
    assert.equal(run?.process.pid, (await readLaunch(folder))?.process.pid);
  });

  it('stops when it is asked to, tells it, and goes on', async () => {
    const { page } = workbench();
    await view.getByRole('button', { name: 'Stop' }).click();
    await notification(page, /Training tiny-pairs-.* stopped/).waitFor();
    await view.getByText(/^step \d+ of 432/).waitFor();
    const words = /^step (\d+) of 432/;
    const before = words.exec((await view.getByText(words).textContent()) ?? '')?.[1];
    await view.getByRole('button', { name: 'Resume' }).click();
    await view.getByRole('button', { name: 'Stop' }).waitFor();
    const goesOn = view.locator('.progress', { hasText: 'loss' }).filter({ hasNotText: `step ${before} of` });
    await goesOn.waitFor();
    await view.getByRole('button', { name: 'Stop' }).click();
    await view.locator('.state', { hasText: 'Stopped' }).waitFor();
  });
});

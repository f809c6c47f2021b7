import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { quickRow, runCommand } from '../../../scripts/workbench/browser.ts';
import { RUN_FILES } from '../../../src/protocol/training.ts';
import { identityOf } from '../../../src/runtime/trainer/process-identity.ts';
import { TrainingRunFolder } from '../../support/training-run.ts';
import { useWorkbench } from './support.ts';
import { keptByWorkbench, nameless, refusals, trainingView } from './views.ts';

describe('training runs in the editor, as a person sees them', () => {
  const workbench = useWorkbench();
  let view: FrameLocator;
  let refused: string[] = [];
  let live: TrainingRunFolder;
  let own: Awaited<ReturnType<typeof identityOf>>;

  const row = (name: string | RegExp) =>
    workbench()
      .page.locator('[id="workbench.view.extension.sqlAgent"] .monaco-list-row')
      .filter({ hasText: name })
      .first();
  const status = (text: string | RegExp) => workbench().page.locator('.statusbar-item', { hasText: text }).first();
  const chart = (name: string) => view.getByRole('group', { name, exact: true });

  before(async () => {
    const { page, workspace } = workbench();
    refused = refusals(page);
    own = await identityOf(process.pid);
    const runs = join(workspace, 'training-runs');
    live = new TrainingRunFolder(join(runs, 'live'), 1000).begin(own).steps(1, 300, 100);
    live.beat({ state: 'training', step: 300, process: own, eta_s: 600, message: 'Training.' });
    const wide = new TrainingRunFolder(join(runs, 'wide'), 200, (config) => ({
      ...config,
      lora: { ...config.lora, r: 64 },
    }));
    wide.begin().steps(1, 200, 100).beat({ state: 'done', step: 200, message: 'All 200 steps are done.' });
    const broken = new TrainingRunFolder(join(runs, 'broken'), 10);
    broken.beat({ state: 'failed', step: 0, message: 'Line 7 of pairs.jsonl is no JSON.' }).print('what was printed\n');
  });

  it('stand in the Runs view, and the one at work in the status bar, found in the folder of the window', async () => {
    const { page } = workbench();
    // The extension was not used yet in this window: the folder is enough.
    await status(/step 300 of 1000, loss 0\.\d+/).waitFor();
    await page.getByRole('tab', { name: 'SQL Agent' }).click();
    await row(/live.*step 300 of 1000, loss 0\.\d+, 10 min 0 s left/).waitFor();
    await row(/wide.*done, step 200/).waitFor();
    await row(/broken.*failed/).waitFor();
    await status(/step 300 of 1000, loss 0\.\d+/).click();
    view = await trainingView(page);
    await view.getByRole('heading', { name: 'live', exact: true }).waitFor();
  });

  it('are shown with curves, facts and checkpoints, and everything has a name', async () => {
    await view.getByText('step 300 of 1,000').waitFor();
    for (const name of ['Loss', 'Learning rate', 'Gradient norm', 'Tokens per second', 'Memory'])
      await chart(name).locator('canvas').waitFor();
    await view.getByText('SmolLM2-135M, 134.5 M parameters').waitFor();
    await view.getByRole('row', { name: /^300 0\.\d+ best$/ }).waitFor();
    await chart('Loss')
      .getByText(/^evaluation 0\.\d+$/)
      .waitFor();
    assert.deepEqual(await nameless(view.locator('training-app')), []);
  });

  it('go on before the eyes: new steps, a new evaluation, another state', async () => {
    live.steps(301, 400, 100).beat({ state: 'saving', step: 400, process: own, message: 'Saving a checkpoint.' });
    await view.getByText('step 400 of 1,000').waitFor();
    await view.getByText('Saving a checkpoint.').first().waitFor();
    await view.getByRole('row', { name: /^400 0\.\d+ best$/ }).waitFor();
    await status(/step 400 of 1000/).waitFor();
  });

  it('tell the values of any step to keys and to a screen reader', async () => {
    const slider = view.getByRole('slider', { name: 'Step' });
    await slider.focus();
    await workbench().page.keyboard.press('Home');
    await view
      .getByText(/^training 2\.\d+$/)
      .first()
      .waitFor();
    assert.match(
      (await slider.getAttribute('aria-valuetext')) ?? '',
      /^step 1, loss 2\.\d+, learning rate .+, gradient norm .+, tokens per second [\d,]+, share of the peak .+ %, memory 1\.1 GB$/,
    );
    await view.getByText('Values as a table').click();
    await view.getByRole('row', { name: /^400 0\.\d+ .* 0\.\d+ \d+\.\d %$/ }).waitFor();
  });

  it('are looked at closely by dragging over a chart, and as a whole again', async () => {
    const { page } = workbench();
    const box = await chart('Loss').locator('.u-over').boundingBox();
    assert.ok(box);
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.25, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, y, { steps: 5 });
    await page.mouse.up();
    const whole = view.getByRole('button', { name: 'Show All Steps' });
    await whole.waitFor();
    await view.getByText(/^Steps (9\d|1[01]\d) to (19\d|20\d)\.$/).waitFor({ state: 'attached' });
    await whole.click();
    await view.getByText('Drag over a chart to zoom.').waitFor();
  });

  it('are compared: curves over each other, and the settings that differ', async () => {
    await view.getByRole('button', { name: 'Compare with…' }).click();
    await quickRow(workbench().page, 'wide').click();
    await view.getByRole('heading', { name: 'Compared with wide' }).waitFor();
    await view.getByRole('row', { name: 'lora.r 16 64' }).waitFor();
    await chart('Loss')
      .getByText(/^wide 0\.\d+$/)
      .waitFor();
  });

  it('ask the trainer to save and to stop', async () => {
    await view.getByRole('button', { name: 'Checkpoint Now' }).click();
    await view.getByText('The trainer saves after the step that it is in.').first().waitFor({ state: 'attached' });
    assert.ok(existsSync(join(live.path, RUN_FILES.control, 'checkpoint')));
    await view.getByRole('button', { name: 'Stop' }).click();
    await view.getByText('The trainer saves the steps that are done and ends.').first().waitFor({ state: 'attached' });
    assert.ok(existsSync(join(live.path, RUN_FILES.control, 'stop')));
  });

  it('are found again after a reload: the view with its comparison, the status bar', async () => {
    const { page } = workbench();
    await view.getByRole('combobox', { name: 'Smoothing' }).selectOption('100 steps');
    await keptByWorkbench(page, ':100}');
    await page.reload();
    view = await trainingView(page);
    assert.equal(await view.getByRole('combobox', { name: 'Smoothing' }).inputValue(), '100');
    await view.getByRole('heading', { name: 'Compared with wide' }).waitFor();
    await view.getByRole('row', { name: 'lora.r 16 64' }).waitFor();
    await status(/step 400 of 1000/).waitFor();
    await view.getByRole('button', { name: 'End Comparison' }).click();
    await view.getByRole('heading', { name: 'Compared with wide' }).waitFor({ state: 'detached' });
  });

  it('leave the status bar when they end, and offer to go on', async () => {
    live.append({ kind: 'end', time: '', step: 400, state: 'stopped', message: 'Stopped after step 400.' });
    live.beat({ state: 'stopped', step: 400, process: own, message: 'Stopped after step 400.' });
    await view.getByText('Stopped after step 400.').first().waitFor();
    await view.getByRole('button', { name: 'Resume' }).waitFor();
    await status(/step 400 of 1000/).waitFor({ state: 'detached' });
  });

  it('say why they failed, with what the trainer printed', async () => {
    const { page } = workbench();
    await runCommand(page, 'SQL Agent: Open Training Run…');
    await quickRow(page, 'broken').click();
    await page.locator('.tab.active', { hasText: 'broken' }).waitFor();
    view = await trainingView(page);
    await view.getByRole('alert').getByText('Line 7 of pairs.jsonl is no JSON.').waitFor();
    await view.getByText('what was printed').waitFor();
    await view.getByText('No step is done yet').waitFor();
  });

  it('load nothing that their policy refuses', () => assert.deepEqual(refused, []));
});

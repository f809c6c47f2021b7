import assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator } from 'playwright-core';
import { notification, openFile, quickRow, runCommand } from '../../../scripts/workbench/browser.ts';
import { RUN_FILES, type TrainingRun } from '../../../src/protocol/training.ts';
import { readModelEntry } from '../../../src/runtime/model/manifest.ts';
import { identityOf } from '../../../src/runtime/trainer/process-identity.ts';
import { emptyAdapter, smallAdapter } from '../../support/adapter.ts';
import { TrainingRunFolder } from '../../support/training-run.ts';
import { useWorkbench } from './support.ts';
import { askView, databaseView, nameless, trainingView } from './views.ts';

const SUITE = 'music.sql-tests.jsonl';
const QUESTION = 'How many albums are there?';

describe('an adapter of one’s own, as a person sees it', () => {
  const workbench = useWorkbench({ env: { SQL_AGENT_SCRIPT: '' } });
  let mine: TrainingRunFolder;
  let panel: FrameLocator;
  let view: FrameLocator;

  const settings = () => JSON.parse(readFileSync(join(workbench().server.data, 'data/Machine/settings.json'), 'utf8'));
  const row = (name: string | RegExp) =>
    workbench()
      .page.locator('[id="workbench.view.extension.sqlAgent"] .monaco-list-row')
      .filter({ hasText: name })
      .first();
  const chooser = async () => await runCommand(workbench().page, 'SQL Agent: Choose Model…');

  /** The base is the file of `small`. */
  function trainOnSmall(run: TrainingRunFolder): void {
    const file = join(run.path, RUN_FILES.run);
    const record: TrainingRun = JSON.parse(readFileSync(file, 'utf8'));
    record.base.file.sha256 = readModelEntry('small').base.sha256;
    writeFileSync(file, JSON.stringify(record));
  }

  before(async () => {
    const { workspace } = workbench();
    const runs = join(workspace, 'training-runs');
    const own = await identityOf(process.pid);
    mine = new TrainingRunFolder(join(runs, 'mine'), 20).begin(own).steps(1, 19, 10);
    trainOnSmall(mine);
    mine.beat({ state: 'training', step: 19, process: own });
    const foreign = new TrainingRunFolder(join(runs, 'foreign'), 10).begin();
    await emptyAdapter(join(foreign.path, RUN_FILES.adapterGguf), { name: 'Qwen3-1.7B', sha256: 'a'.repeat(64) });
    foreign.beat({ state: 'done', step: 10, message: 'All 10 steps are done.' });
    const question = {
      id: 'albums',
      database: 'chinook.sqlite',
      question: QUESTION,
      sql: 'SELECT count(*) FROM Album',
    };
    writeFileSync(join(workspace, SUITE), `${JSON.stringify(question)}\n`);
  });

  it('is offered by the notification at the end of its run, and answers the next question', async function () {
    this.timeout(240_000);
    const { page } = workbench();
    await openFile(page, 'chinook.sqlite');
    await (await databaseView(page)).getByRole('button', { name: 'Ask…' }).waitFor();
    await page.locator('.statusbar-item', { hasText: /step 19 of 20/ }).waitFor();
    await smallAdapter(join(mine.path, RUN_FILES.adapterGguf));
    mine.beat({ state: 'done', step: 20, message: 'Trained 20 steps.' });
    const toast = notification(page, /Training mine done/);
    await toast.getByRole('button', { name: 'Ask with This Adapter' }).click();
    panel = await askView(page);
    await panel.getByRole('button', { name: 'Model: small with mine. Choose another…' }).waitFor();
    await panel.getByRole('textbox', { name: 'Question' }).fill(QUESTION);
    await panel.getByRole('textbox', { name: 'Question' }).press('Control+Enter');
    await panel.getByRole('grid', { name: 'Answer' }).getByText('347').waitFor({ timeout: 180_000 });
    await panel.getByText(/Answered by small with mine in one shot\./i).waitFor();
    await panel.getByText(/Its accuracy was never measured/i).waitFor();
    const chosen = settings();
    assert.equal(chosen['sqlAgent.model.local'], 'small');
    assert.equal(chosen['sqlAgent.model.adapter'], join(mine.path, RUN_FILES.adapterGguf));
  });

  it('stands in "Choose Model…" under a heading of its own, beside one that cannot answer here', async () => {
    const { page } = workbench();
    await chooser();
    await quickRow(page, /mine.*current · trained for small.*Not evaluated yet/).waitFor();
    await page.locator('.quick-input-list .quick-input-list-separator', { hasText: 'Your adapters' }).waitFor();
    await quickRow(page, /foreign.*trained for Qwen3-1\.7B.*none of those that answer here/).click();
    const refused = notification(page, /was trained for Qwen3-1\.7B, which is neither/);
    await refused.getByRole('button', { name: 'Choose Model…' }).click();
    await quickRow(page, /mine.*current/).waitFor();
    await page.keyboard.press('Escape');
  });

  it('is evaluated from the view of its run, and then known by what was found', async function () {
    this.timeout(240_000);
    const { page } = workbench();
    await page.getByRole('tab', { name: 'SQL Agent' }).click();
    await row(/mine.*done/).click();
    view = await trainingView(page);
    await view.getByRole('button', { name: 'Ask with This Adapter' }).waitFor();
    assert.deepEqual(await nameless(view.locator('training-app')), []);
    await view.getByRole('button', { name: 'Evaluate This Adapter…' }).click();
    await page.locator('.quick-input-title', { hasText: 'Evaluate small with mine' }).waitFor();
    await quickRow(page, SUITE).click();
    await quickRow(page, 'All 1 item').click();
    await notification(page, /Evaluation done: small/).waitFor({ timeout: 180_000 });
    await chooser();
    await quickRow(page, /mine.*EX 100\.0 % \(.*\) on music.*, 1 item/).waitFor();
    await page.keyboard.press('Escape');
  });

  it('is not offered where its base does not answer here', async () => {
    const { page } = workbench();
    await row(/foreign.*done/).click({ button: 'right' });
    const menu = page.locator('.context-view.monaco-menu-container');
    await menu.getByText('Compare Training Runs…').waitFor();
    assert.equal(await menu.getByText('Ask with This Adapter').count(), 0);
    await page.keyboard.press('Escape');
    await row(/mine.*done/).click({ button: 'right' });
    await menu.getByText('Evaluate This Adapter…').waitFor();
    await menu.getByText('Ask with This Adapter').waitFor();
    await page.keyboard.press('Escape');
  });

  it('leads to "Choose Model…" where its file was moved', async () => {
    const { page } = workbench();
    renameSync(join(mine.path, RUN_FILES.adapterGguf), join(mine.path, 'moved.gguf'));
    await runCommand(page, 'SQL Agent: Ask…');
    await quickRow(page, 'chinook.sqlite').click();
    panel = await askView(page);
    await panel.getByRole('textbox', { name: 'Question' }).fill('How many artists are there?');
    await panel.getByRole('textbox', { name: 'Question' }).press('Control+Enter');
    await panel
      .getByText(/adapter\.gguf, which the settings choose, is not there any more/)
      .first()
      .waitFor();
    await panel.getByRole('button', { name: 'Choose Model…' }).first().click();
    await quickRow(page, /small.*SmolLM2/).click();
    await panel.getByRole('button', { name: 'Model: small. Choose another…' }).waitFor();
    assert.equal(settings()['sqlAgent.model.adapter'], '');
    rmSync(join(mine.path, 'moved.gguf'));
  });
});

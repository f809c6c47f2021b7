import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerInput, notification, quickRow, runCommand } from '../../../scripts/workbench/browser.ts';
import { readModelEntry } from '../../../src/runtime/model/manifest.ts';
import { serveChat, serveSlowFile } from './servers.ts';
import { useWorkbench } from './support.ts';

describe('Choose Model, as a person sees it', () => {
  const workbench = useWorkbench({ env: { SQL_AGENT_SCRIPT: '' } });
  // Settings of a machine are kept by the server that runs on it.
  const settings = () => JSON.parse(readFileSync(join(workbench().server.data, 'data/Machine/settings.json'), 'utf8'));

  it('shows each model with its measured accuracy, and which one answers', async () => {
    const { page } = workbench();
    await runCommand(page, 'SQL Agent: Choose Model…');
    await quickRow(page, /small.*current.*comes with the extension/).waitFor();
    await quickRow(page, /coder.*1\.15 GB to fetch once/).waitFor();
    await quickRow(page, /More than half of the answers of this small model are right/).waitFor();
    await page.keyboard.press('Escape');
  });

  it('pulls coder with progress, stops when told, and goes on from there', async () => {
    const { page } = workbench();
    const { bytes } = readModelEntry('coder').base;
    const server = await serveSlowFile(bytes);
    try {
      for (const _attempt of ['first', 'second']) {
        await runCommand(page, 'SQL Agent: Choose Model…');
        await quickRow(page, 'coder').click();
        await quickRow(page, 'From another address…').click();
        await answerInput(page, 'Address of', `${server.url}/model.gguf`);
        const progress = notification(page, /\d+\.\d [kM]B of 1\.12 GB downloaded, .* left/);
        await progress.waitFor();
        await progress.getByRole('button', { name: 'Cancel' }).click();
        await progress.waitFor({ state: 'detached' });
      }
      assert.equal(server.ranges.length, 2);
      assert.equal(server.ranges[0], '');
      assert.match(server.ranges[1] ?? '', /^bytes=[1-9]\d+-$/);
      await runCommand(page, 'SQL Agent: Choose Model…');
      await quickRow(page, /\d [kM]B of 1\.15 GB are here/).waitFor();
      await page.keyboard.press('Escape');
    } finally {
      server.close();
    }
  });

  it('sets up a server: its key stays out of the settings, a test shows that it answers', async () => {
    const { page } = workbench();
    const server = await serveChat(['alpha', 'beta'], 'secret-key-1', 'ready');
    try {
      await runCommand(page, 'SQL Agent: Choose Model…');
      await quickRow(page, 'Server…').click();
      await answerInput(page, 'Server (1/4)', `${server.url}/v1/`);
      await answerInput(page, 'Server (2/4)', 'secret-key-1');
      await quickRow(page, 'beta').click();
      await quickRow(page, 'Test Connection').click();
      await quickRow(page, /It answered in \d/).waitFor();
      await quickRow(page, 'Use beta').click();
      await page.locator('.statusbar', { hasText: `Questions are answered by beta at ${server.url}/v1` }).waitFor();
      await runCommand(page, 'SQL Agent: Choose Model…');
      await quickRow(page, `current · beta at ${server.url}/v1`).waitFor();
      await page.keyboard.press('Escape');
      assert.equal(settings()['sqlAgent.model.provider'], 'openai');
      assert.doesNotMatch(JSON.stringify(settings()), /secret-key-1/);
      assert.ok(server.requests.every(({ authorized }) => authorized));
    } finally {
      server.close();
    }
  });

  it('says what is wrong where a server does not answer, and lets a name be typed', async () => {
    const { page } = workbench();
    const server = await serveChat([], 'right-key', 'ready');
    try {
      await runCommand(page, 'SQL Agent: Choose Model…');
      await quickRow(page, 'Server…').click();
      await answerInput(page, 'Server (1/4)', `${server.url}/v1`);
      await answerInput(page, 'Server (2/4)', 'wrong-key');
      await page.locator('.quick-input-widget', { hasText: /key/ }).waitFor();
      await answerInput(page, 'Server (3/4)', 'gamma');
      await quickRow(page, 'Test Connection').click();
      await quickRow(page, /Test Connection.*key/).waitFor();
      await page.keyboard.press('Escape');
      assert.notEqual(settings()['sqlAgent.model.server.name'], 'gamma');
    } finally {
      server.close();
    }
  });
});

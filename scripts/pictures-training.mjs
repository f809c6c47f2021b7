// The picture of a training run for docs/images, of a tiny model that is trained on this machine meanwhile.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqlAgent } from '../test/support/cli.ts';
import { pairsFile, tinyFolder } from '../test/trainer/support/tiny-folder.ts';
import { trainingView } from '../test/workbench/see/views.ts';
import { openWorkbench, quickRow } from './workbench/browser.ts';

export const TRAINING_PICTURES = ['training-view'];
const SETTINGS = ['--device', 'cpu', '--threads', '1', '--batch', '4', '--max-length', '200', '--lr', '0.01'];
/** Steps of the run that the other is compared with, and those after which the picture is taken. */
const COMPARED_STEPS = 150;
const SEEN_STEPS = 180;

/** ChatML. */
const TEMPLATE = `{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`;

/** Calls `sql-agent train` in the workspace. @throws Error where it fails */
async function train(workspace, words) {
  const { code, stderr } = await sqlAgent(['train', ...words], { cwd: workspace });
  if (code !== 0) throw new Error(stderr);
}

/**
 * Shows the picture. `page` is to be taken before the next is asked for: then the training ends.
 * @param {object} options
 * @param {import('playwright-core').Browser} options.browser
 * @param {string} options.url of a workbench's server
 * @param {string} options.workspace folder that the window opens
 * @returns {AsyncGenerator<{ page: import('playwright-core').Page, name: string }>}
 */
export async function* trainingPictures({ browser, url, workspace }) {
  writeFileSync(join(tinyFolder(workspace), 'chat_template.jinja'), TEMPLATE);
  pairsFile(workspace, 40);
  const words = ['sft', '--base', 'tiny', '--data', 'pairs.jsonl', ...SETTINGS, '--epochs', '40'];
  const compared = ['--r', '2', '--steps', String(COMPARED_STEPS), '--out', 'training-runs/rank-2'];
  await train(workspace, [...words, ...compared]);
  await train(workspace, [...words, '--r', '16', '--out', 'training-runs/rank-16', '--detach']);
  const page = await openWorkbench(browser, url, workspace, { width: 1280, height: 960 });
  try {
    await page.getByRole('tab', { name: 'SQL Agent' }).click();
    await page.locator('.monaco-list-row', { hasText: 'rank-16' }).first().click();
    const view = await trainingView(page);
    await view.getByRole('button', { name: 'Compare with…' }).click();
    await quickRow(page, 'rank-2').click();
    await view.getByRole('heading', { name: 'Compared with rank-2' }).waitFor();
    const step = view.getByRole('slider', { name: 'Step' });
    while (Number(await step.getAttribute('max')) < SEEN_STEPS) await page.waitForTimeout(1000);
    yield { page, name: 'training-view' };
  } finally {
    await page.close();
    await train(workspace, ['stop', 'rank-16']);
  }
}

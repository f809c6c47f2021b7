// `npm run pictures [-- NAME …]`: the pictures of README, docs and walkthrough in docs/images, those named or all, taken
// of the real workbench with the bundled model answering. Look at them before you commit them.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { EDITOR_PICTURES, editorPictures } from './pictures-editor.mjs';
import { EVALUATION_PICTURES, evaluationPictures } from './pictures-evaluation.mjs';
import { TRAINING_PICTURES, trainingPictures } from './pictures-training.mjs';
import { root } from './setup.mjs';
import { launchBrowser } from './workbench/browser.ts';
import { makeWorkspace } from './workbench/inside.ts';
import { startServer } from './workbench/server.ts';

/** Each has a window and, within the home folder, a folder of its own. A picture builds on those before it. */
const SCENES = [
  { names: EDITOR_PICTURES, show: editorPictures, folder: '.' },
  { names: EVALUATION_PICTURES, show: evaluationPictures, folder: 'music' },
  { names: TRAINING_PICTURES, show: trainingPictures, folder: 'training' },
];
const SETTINGS = { 'workbench.colorTheme': 'Default Light Modern', 'workbench.layoutControl.enabled': false };

const names = SCENES.flatMap((scene) => scene.names);
const given = process.argv.slice(2);
const unknown = given.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`no picture named ${unknown.join(', ')}; there are: ${names.join(', ')}`);
  process.exit(2);
}
const wanted = new Set(given.length > 0 ? given : names);

const images = join(root, 'docs/images');
mkdirSync(images, { recursive: true });
await build();
const folder = mkdtempSync(join(tmpdir(), 'sql-agent-pictures-'));
const home = join(folder, 'home');
// The home folder is where paths begin with `~`: pictures tell nothing of the machine.
const env = { HOME: home, SQL_AGENT_HOME: join(folder, 'storage') };
const server = await startServer({ settings: SETTINGS, env });
const browser = await launchBrowser();

/** Saves what is seen, once nothing moves any more. */
async function save(page, name) {
  await page.mouse.move(2, 2);
  // A hint that the mouse left behind fades.
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(images, `${name}.png`), animations: 'disabled', scale: 'css' });
  console.log(`docs/images/${name}.png`);
}

try {
  for (const scene of SCENES) {
    const last = scene.names.findLast((name) => wanted.has(name));
    if (last === undefined) continue;
    const workspace = makeWorkspace(join(home, scene.folder));
    for await (const { page, name } of scene.show({ browser, url: server.url, workspace })) {
      if (wanted.has(name)) await save(page, name);
      if (name !== last) continue;
      await page.close();
      break;
    }
  }
} finally {
  await browser.close();
  server.stop();
  rmSync(folder, { recursive: true, force: true });
}

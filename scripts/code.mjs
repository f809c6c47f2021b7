// `npm run code [-- FOLDER]`: a VS Code with the extension loaded. The desktop one where `code` exists, else the one from
// npm, shown by a browser, until Ctrl-C.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { calledFrom, installPackages, installVsCode, nodePath, root } from './setup.mjs';

const folder = resolve(calledFrom, process.argv[2] ?? join(root, 'media'));
if (!existsSync(folder)) {
  console.error(`There is no folder ${folder}. Name one: npm run code -- FOLDER`);
  process.exit(2);
}

installPackages('test');
const node = nodePath();
const built = spawnSync(node, [join(root, 'scripts/build.mjs')], { stdio: 'inherit' });
if (built.status !== 0) process.exit(1);

const windows = process.platform === 'win32';
const hasDesktop = spawnSync('code', ['--version'], { stdio: 'ignore', shell: windows }).status === 0;
if (hasDesktop) {
  const done = spawnSync('code', [`--extensionDevelopmentPath=${root}`, folder], { stdio: 'inherit', shell: windows });
  process.exit(done.status ?? 1);
}
if (windows) {
  console.error(
    'No VS Code was found ("code" is not on the path), and the one from npm does not run on Windows. Install VS Code.',
  );
  process.exit(1);
}
installVsCode();
const open = spawn(node, [join(root, 'scripts/workbench/open.ts'), folder], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => open.kill(signal));
open.on('exit', (code) => process.exit(code ?? 130));

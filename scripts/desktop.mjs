// `npm run test:desktop`: set-up and build, then test/desktop/run.ts.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installPackages, nodePath, root } from './setup.mjs';

installPackages('test');
const node = nodePath();
for (const words of [
  ['scripts/build.mjs', '--tests'],
  ['test/desktop/run.ts', ...process.argv.slice(2)],
]) {
  const [file, ...rest] = words;
  const done = spawnSync(node, [join(root, file), ...rest], { cwd: root, stdio: 'inherit' });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

// Stands for `python3 -m pip`: "downloads" wheels that lie in the folder FAKE_PIP_WHEELS as `<requirement>.whl`, and
// writes each requirement asked for to `log` there. Fails for a requirement that is not there, as pip does.
import { appendFileSync, copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';

const words = process.argv.slice(2);
const wheels = process.env.FAKE_PIP_WHEELS ?? '';
if (words.includes('--version')) process.exit(0);
const requirement = words.at(-1);
appendFileSync(join(wheels, 'log'), `${requirement}\n`);
const wheel = join(wheels, `${requirement}.whl`);
if (!existsSync(wheel)) {
  process.stderr.write(`ERROR: No matching distribution found for ${requirement}\n`);
  process.exit(1);
}
copyFileSync(wheel, join(words[words.indexOf('--dest') + 1], 'piece.whl'));

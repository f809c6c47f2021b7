// Set-up of a fresh machine, shared by `npm start` and `npm test`. Plain JavaScript that runs on any Node >= 20.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const NEEDED = [24, 15];

/** Runs a command to its end with its output shown on stderr; ends this process where it fails. */
export function must(command, args, options = {}) {
  const done = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
    ...options,
  });
  if (done.status === 0) return;
  console.error(
    `set-up stopped: "${command} ${args.join(' ')}" ${done.error ? done.error.message : `ended with ${done.status ?? done.signal}`}.`,
  );
  process.exit(1);
}

const modules = join(root, 'node_modules');
const stamp = join(modules, '.setup.json');

function installed() {
  try {
    return JSON.parse(readFileSync(stamp, 'utf8'));
  } catch {
    return {};
  }
}

/**
 * Installs the packages of the lock file where they are missing or of another lock file.
 * @param {'run' | 'test'} scope `run`: only what running needs.
 */
export function installPackages(scope) {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const has = installed();
  if (has.lock === lock && (has.scope === 'test' || has.scope === scope)) return;
  console.error(
    scope === 'run' ? 'Installing packages (once, about 370 MB) …' : 'Installing packages for the tests (once) …',
  );
  must('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...(scope === 'run' ? ['--omit=dev'] : [])]);
  mkdirSync(modules, { recursive: true });
  writeFileSync(stamp, JSON.stringify({ lock, scope }));
}

/** The Node to use: this one where it is new enough, else the one that came with the packages. Ends this process where there is none. */
export function nodePath() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return process.execPath;
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const packaged = join(
    modules,
    `node-${platform}-${process.arch}`,
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  );
  if (existsSync(packaged)) return packaged;
  console.error(
    `Node ${NEEDED.join('.')} or newer is needed and this is ${process.version}. No packaged Node exists for ${process.platform} ${process.arch}: install one from nodejs.org.`,
  );
  process.exit(1);
}

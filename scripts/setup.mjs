// Set-up of a fresh machine, shared by `npm start` and `npm test`. Plain JavaScript that runs on any Node >= 20.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

function packagesOf(lockFile) {
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  } catch {
    return {};
  }
}

/** Whether `node_modules` holds the versions of the lock file. npm writes down what it installed when it has done. */
function isInstalled(scope) {
  const wanted = packagesOf(join(root, 'package-lock.json'));
  const there = packagesOf(join(modules, '.package-lock.json'));
  return Object.entries(wanted).every(([path, { version, dev, optional, devOptional }]) => {
    const isNeeded = path !== '' && !optional && !devOptional && (scope === 'test' || !dev);
    return !isNeeded || there[path]?.version === version;
  });
}

/**
 * Installs the packages of the lock file where they are missing or of another lock file.
 * @param {'run' | 'test'} scope `run`: only what running needs.
 */
export function installPackages(scope) {
  if (!isInstalled(scope)) {
    console.error(
      scope === 'run'
        ? 'Installing packages (once, about 370 MB) …'
        : 'Installing the packages to build and test with (once, about 700 MB in all) …',
    );
    must('npm', [
      'ci',
      '--no-audit',
      '--no-fund',
      '--no-update-notifier',
      '--loglevel=error',
      ...(scope === 'run' ? ['--omit=dev'] : []),
    ]);
  }
  linkCommandLine();
}

/** Puts our programs where npx looks for them: npm links the programs of packages, but not those of the project itself. */
function linkCommandLine() {
  const windows = process.platform === 'win32';
  for (const name of ['sql-agent', 'sql-agent-trainer']) {
    const link = join(modules, '.bin', windows ? `${name}.cmd` : name);
    if (existsSync(link)) continue;
    try {
      if (windows) writeFileSync(link, `@node "%~dp0\\..\\..\\scripts\\${name}.mjs" %*\r\n`);
      else {
        rmSync(link, { force: true });
        symlinkSync(`../../scripts/${name}.mjs`, link);
      }
    } catch {
      // A folder of packages that may not be written, or another start that was faster: only `npx` needs the link.
    }
  }
}

/** The folder where a person called `npm run`, which changes into the project's: relative paths count from there. */
export const calledFrom = process.env.INIT_CWD ?? process.cwd();

/**
 * Runs one of our programs from its source.
 * @param {string} entry its first file, relative to the project.
 * @param {string[]} words
 * @param {string} cwd what relative paths count from.
 * @returns {Promise<number>} its exit code.
 */
export function runProgram(entry, words, cwd) {
  // Types are stripped once: a start takes half the time from then on.
  const env = { NODE_COMPILE_CACHE: join(root, '.cache/compiled'), ...process.env };
  const child = spawn(nodePath(), [join(root, entry), ...words], { stdio: 'inherit', cwd, env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      // Ctrl-C reaches the child from the terminal, and a second one would end it before it has stopped its query.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  return new Promise((settle) => {
    child.on('error', (error) => {
      console.error(`${entry} does not start: ${error.message}`);
      settle(1);
    });
    child.on('exit', (code) => settle(code ?? 130));
  });
}

/** `runProgram` of `sql-agent`. */
export const runCommandLine = (words, cwd) => runProgram('src/cli/main.ts', words, cwd);

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

const vscode = join(modules, 'code-server/lib/vscode');

/** Installs the packages that the VS Code inside `code-server` runs on. npm writes the file looked for when it has done. */
export function installVsCode() {
  if (existsSync(join(vscode, 'node_modules/.package-lock.json'))) return;
  console.error('Installing the packages of VS Code (once, about 400 MB) …');
  must('npm', ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: vscode,
  });
}

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const MAC_BROWSERS = ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);

function hasBrowser() {
  return [process.env.CHROMIUM, ...BROWSERS, ...MAC_BROWSERS].some((path) => path && existsSync(path));
}

/** Installs Chromium with Debian's package manager where there is none. @returns why there is none after that, or null. */
export function installBrowser() {
  if (hasBrowser()) return null;
  const help =
    'Install Chromium, or name one by the variable CHROMIUM; SQL_AGENT_SKIP_BROWSER=1 leaves these tests out.';
  if (process.platform !== 'linux' || !existsSync('/usr/bin/apt-get'))
    return `No Chromium was found, and only Debian's apt-get could fetch it. ${help}`;
  if (process.getuid?.() !== 0) return `No Chromium was found, and only root may install it. ${help}`;
  console.error('Installing Chromium for the tests (once) …');
  const apt = (...words) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    return spawnSync('apt-get', words, { stdio: ['ignore', 2, 2], env }).status === 0;
  };
  const done = apt('update') && apt('install', '-y', '--no-install-recommends', 'chromium', 'fonts-dejavu-core');
  return done && hasBrowser() ? null : `apt-get could not install Chromium. ${help}`;
}

// A real VS Code without a desktop: the one inside the npm package `code-server`, served to a browser on loopback.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const vscode = join(root, 'node_modules/code-server/lib/vscode');
/** The server says this line once it can be reached. */
const LISTENING = /listening on (\d+)/;

/** Keeps away what has nothing to do with this extension. */
const QUIET = {
  'workbench.startupEditor': 'none',
  'update.mode': 'none',
  'extensions.ignoreRecommendations': true,
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'git.enabled': false,
  // Its proxy support wants native modules that are not built here.
  'http.fetchAdditionalSupport': false,
};

export interface ServerOptions {
  /** Environment of the server and so of the extension host and its children. */
  env?: Record<string, string>;
  /** User settings. */
  settings?: Record<string, unknown>;
  /** Adds VS Code's own driver for tests inside it, which hides notifications. */
  smokeTest?: boolean;
  /** True: folders start untrusted and VS Code asks. */
  workspaceTrust?: boolean;
  /** Where the server keeps its data; a fresh temporary folder, removed at the end, where it is left out. */
  data?: string;
}

export interface WorkbenchServer {
  /** `http://127.0.0.1:PORT` */
  url: string;
  /** Folder of the server's data: settings, logs, storage. */
  data: string;
  /** What the server said so far. */
  output(): string;
  /** Kills the server with its extension hosts and their children, and removes its temporary folder. */
  stop(): void;
}

/** Version of the VS Code that is served. */
export function vscodeVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(join(vscode, 'package.json'), 'utf8'));
  return manifest.version;
}

function prepareData(data: string, settings: Record<string, unknown>): { data: string; extensions: string } {
  const { publisher, name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const extensions = join(data, 'extensions');
  const user = join(data, 'data/User');
  mkdirSync(extensions, { recursive: true });
  mkdirSync(user, { recursive: true });
  const link = join(extensions, `${publisher}.${name}-${version}`);
  if (!existsSync(link)) symlinkSync(root, link, 'dir');
  const file = join(user, 'settings.json');
  if (!existsSync(file)) writeFileSync(file, JSON.stringify({ ...QUIET, ...settings }, null, 2));
  return { data, extensions };
}

function listening(child: ChildProcess, said: { text: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer) => {
      said.text += chunk.toString();
      const port = LISTENING.exec(said.text)?.[1];
      if (port !== undefined) resolve(Number(port));
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`VS Code's server ended with ${code} before it listened:\n${said.text}`)),
    );
  });
}

/** Kills a process and all that it started. */
function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
}

/** Starts a server with this checkout as its one extension, on a free port of 127.0.0.1. It dies with this process. */
export async function startServer(options: ServerOptions = {}): Promise<WorkbenchServer> {
  if (!existsSync(join(vscode, 'node_modules')))
    throw new Error(`${vscode} is not set up. "npm test" and "npm run code" set it up.`);
  const temporary = options.data === undefined ? mkdtempSync(join(tmpdir(), 'sql-agent-vscode-')) : null;
  const { data, extensions } = prepareData(options.data ?? temporary ?? '', options.settings ?? {});
  const words = ['--host', '127.0.0.1', '--port', '0', '--without-connection-token', '--accept-server-license-terms'];
  words.push('--telemetry-level', 'off', '--server-data-dir', data, '--extensions-dir', extensions);
  if (options.smokeTest) words.push('--enable-smoke-test-driver');
  if (!options.workspaceTrust) words.push('--disable-workspace-trust');
  const child = spawn(process.execPath, [join(vscode, 'out/server-main.js'), ...words], {
    cwd: dirname(data),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
  });
  const said = { text: '' };
  const stop = () => {
    process.off('exit', stop);
    killGroup(child);
    if (temporary !== null) rmSync(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  process.on('exit', stop);
  try {
    return { url: `http://127.0.0.1:${await listening(child, said)}`, data, output: () => said.text, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

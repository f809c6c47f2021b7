// Runs a bundle of dist-test inside the extension host of a real VS Code: `node scripts/workbench/inside.ts [BUNDLE]`.
// Exit code 0 where its `run()` resolved. The report is written here, all else that VS Code says to test-results/inside.log.
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'node:util';
import { launchBrowser } from './browser.ts';
import { startServer } from './server.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const LIMIT_MS = 600_000;
/** Begins a line of the report (test/workbench/run.ts). */
const REPORT = '\u2063';

/** A fresh workspace folder with the bundled sample and a file that only claims to be a database. */
export function makeWorkspace(folder: string): string {
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace, { recursive: true });
  copyFileSync(join(root, 'media/chinook.sqlite'), join(workspace, 'chinook.sqlite'));
  copyFileSync(join(root, 'media/chinook.sqlite'), join(workspace, 'music.db'));
  writeFileSync(join(workspace, 'notes.db'), 'not a database\n');
  return workspace;
}

/** Environment that keeps a test away from the user's own storage, with a script for the model. */
export function testEnvironment(folder: string): Record<string, string> {
  return { SQL_AGENT_HOME: join(folder, 'home'), SQL_AGENT_SCRIPT: join(folder, 'script.json') };
}

function address(url: string, workspace: string, bundle: string): string {
  const remote = (path: string) => `vscode-remote://${new URL(url).host}${path}`;
  const payload = [
    ['extensionDevelopmentPath', remote(root)],
    ['extensionTestsPath', remote(join(root, 'dist-test', bundle))],
    ['skipWelcome', 'true'],
  ];
  const page = new URL(url);
  page.searchParams.set('folder', workspace);
  page.searchParams.set('payload', JSON.stringify(payload));
  return page.href;
}

/** Writes lines of the report to stdout and all others to a file of their own. */
function reportWriter(): (text: string) => void {
  const results = join(root, 'test-results');
  mkdirSync(results, { recursive: true });
  const log = join(results, 'inside.log');
  writeFileSync(log, '');
  return (text) => {
    if (text.startsWith(REPORT)) console.log(text.slice(REPORT.length));
    else appendFileSync(log, `${text}\n`);
  };
}

/** Runs `dist-test/BUNDLE` inside VS Code. @returns its exit code; 1 where it did not end in time. */
export async function runInside(bundle: string, env: Record<string, string> = {}): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'sql-agent-inside-'));
  const workspace = makeWorkspace(folder);
  const server = await startServer({ smokeTest: true, env: { ...testEnvironment(folder), ...env } });
  try {
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
      const take = reportWriter();
      let end: (code: number) => void = () => {};
      const ended = new Promise<number>((resolve) => {
        end = resolve;
      });
      await page.exposeFunction('codeAutomationLog', (_type: string, words: unknown[]) => take(format(...words)));
      await page.exposeFunction('codeAutomationExit', (code: number) => end(code));
      const timer = setTimeout(() => {
        console.error(`The tests inside VS Code did not end within ${LIMIT_MS / 1000} s.\n${server.output()}`);
        end(1);
      }, LIMIT_MS);
      await page.goto(address(server.url, workspace, bundle));
      const code = await ended;
      clearTimeout(timer);
      return code;
    } finally {
      await browser.close();
    }
  } finally {
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exit(await runInside(process.argv[2] ?? 'run.cjs'));

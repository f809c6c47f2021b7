import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, openWorkbench } from '../../../scripts/workbench/browser.ts';
import { makeWorkspace, testEnvironment } from '../../../scripts/workbench/inside.ts';
import { type ServerOptions, startServer, type WorkbenchServer } from '../../../scripts/workbench/server.ts';

const results = fileURLToPath(new URL('../../../test-results/', import.meta.url));

/** A workbench with a page open on a fresh folder that holds `chinook.sqlite`, `music.db` and `notes.db` (no database). */
export interface Workbench {
  page: Page;
  browser: Browser;
  server: WorkbenchServer;
  /** Absolute path of the workspace folder. */
  workspace: string;
  /** Absolute path of the storage folder (`SQL_AGENT_HOME`). */
  storage: string;
  /** Writes the script that the next question is answered by (`src/runtime/model/scripted-provider.ts`). */
  setScript(script: unknown): void;
}

/** How a workbench is opened. */
interface WorkbenchOptions extends ServerOptions {
  /** Puts things into the workspace folder before the window opens on it. */
  prepare?: (workspace: string) => void | Promise<void>;
}

async function open(folder: string, options: WorkbenchOptions): Promise<Workbench> {
  const workspace = makeWorkspace(folder);
  await options.prepare?.(workspace);
  const env = { ...testEnvironment(folder), ...options.env };
  const server = await startServer({ ...options, env });
  const browser = await launchBrowser();
  const page = await openWorkbench(browser, server.url, workspace);
  const setScript = (script: unknown) => writeFileSync(join(folder, 'script.json'), JSON.stringify(script));
  return { page, browser, server, workspace, storage: join(folder, 'home'), setScript };
}

/**
 * Opens one workbench for the tests of a `describe`, and closes it after them. A failed test leaves a picture in
 * test-results/. @returns the workbench, to be asked for inside tests.
 */
export function useWorkbench(options: WorkbenchOptions = {}): () => Workbench {
  let folder = '';
  let opened: Workbench | null = null;
  const workbench = () => {
    if (!opened) throw new Error('the workbench is not open');
    return opened;
  };
  before(async function () {
    this.timeout(120_000);
    folder = mkdtempSync(join(tmpdir(), 'sql-agent-see-'));
    opened = await open(folder, options);
  });
  afterEach(async function () {
    const test = this.currentTest;
    if (test?.state !== 'failed') return;
    mkdirSync(results, { recursive: true });
    const path = join(results, `${test.fullTitle().replaceAll(/\W+/g, '-').slice(0, 120)}.png`);
    await workbench().page.screenshot({ path });
    process.stdout.write(`      what was seen: ${path}\n`);
  });
  after(async () => {
    await opened?.browser.close();
    opened?.server.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });
  return workbench;
}

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { build } from '../scripts/build.mjs';
import { launchBrowser, openFile, openWorkbench, runCommand } from '../scripts/workbench/browser.ts';
import { makeWorkspace, runInside, testEnvironment } from '../scripts/workbench/inside.ts';
import { startServer, vscodeVersion } from '../scripts/workbench/server.ts';
import type { Benchmark, Measurement } from './measurement.ts';

/** Windows that are opened; each has an extension host of its own. */
const WINDOWS = 5;

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Milliseconds of `activate` itself, as the extension measures it. */
async function activateCalls(folder: string): Promise<number[]> {
  const file = join(folder, 'activations.jsonl');
  for (let window = 0; window < WINDOWS; window++)
    if ((await runInside('measure-activation.cjs', { SQL_AGENT_RESULT: file })) !== 0)
      throw new Error('VS Code ended before the extension was measured');
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line): number => JSON.parse(line).activateMs);
}

/** Milliseconds of loading and activation as VS Code shows them in "Show Running Extensions". */
async function shownActivation(browser: Browser, url: string, workspace: string): Promise<number> {
  const page = await openWorkbench(browser, url, workspace);
  // The list has only the rows in the page that its window has room for.
  await page.setViewportSize({ width: 1400, height: 4000 });
  await openFile(page, 'chinook.sqlite');
  await runCommand(page, 'Developer: Show Running Extensions');
  const row = page.locator('.runtime-extensions-editor .monaco-list-row', { hasText: 'SQL Agent Workbench' });
  const shown = row.getByText(/Activation: \d+ms/);
  await shown.waitFor();
  const ms = Number(/(\d+)ms/.exec((await shown.textContent()) ?? '')?.[1]);
  await page.context().close();
  return ms;
}

async function shownActivations(folder: string): Promise<number[]> {
  const workspace = makeWorkspace(folder);
  const server = await startServer({ env: testEnvironment(folder) });
  const browser = await launchBrowser();
  try {
    const times: number[] = [];
    for (let window = 0; window < WINDOWS; window++) times.push(await shownActivation(browser, server.url, workspace));
    return times;
  } finally {
    await browser.close();
    server.stop();
  }
}

async function run(): Promise<Measurement[]> {
  const scripts = await build({ tests: true });
  const folder = mkdtempSync(join(tmpdir(), 'sql-agent-bench-'));
  try {
    const where = `VS Code ${vscodeVersion()}, median of ${WINDOWS} windows`;
    const reach = '<= 50 ms';
    const shown = median(await shownActivations(folder));
    return [
      { what: `loading and activation as VS Code shows them, ${where}`, value: shown, unit: 'ms', reach },
      { what: `activate alone, ${where}`, value: median(await activateCalls(folder)), unit: 'ms', reach },
      ...scripts.map(({ file, bytes }) => ({
        what: `script of ${file}`,
        value: bytes / 1024,
        unit: 'KB',
        reach: '<= 150 KB',
      })),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const benchmark: Benchmark = {
  title: 'activation in the real workbench, size of the webview scripts',
  run,
};

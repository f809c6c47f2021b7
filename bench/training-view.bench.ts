import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Browser } from 'playwright-core';
import { build } from '../scripts/build.mjs';
import { launchBrowser, openWorkbench } from '../scripts/workbench/browser.ts';
import { makeWorkspace, testEnvironment } from '../scripts/workbench/inside.ts';
import { startServer } from '../scripts/workbench/server.ts';
import { RunSide } from '../src/host/train/side.ts';
import { TrainingRunFolder } from '../test/support/training-run.ts';
import { trainingView } from '../test/workbench/see/views.ts';
import type { Benchmark, Measurement } from './measurement.ts';

const EVENTS = 100_000;
/** An evaluation and a checkpoint after so many steps. */
const EVERY = 500;
/** Checkpoints and evaluations stand between the steps. */
const STEPS = Math.round(EVENTS / (1 + 2 / EVERY));
const REPEATS = 5;
/** Further looks at a run that goes on. */
const LOOKS = 2000;

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Bytes in use after the garbage is gone. */
function heap(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** What the extension host does: reads all, then each step that comes. */
async function inHost(folder: TrainingRunFolder): Promise<Measurement[]> {
  const opens: number[] = [];
  for (let count = 0; count < REPEATS; count += 1) opens.push(await timed(() => new RunSide(folder.path).look()));
  const side = new RunSide(folder.path);
  await side.look();
  const before = heap();
  const looks: number[] = [];
  for (let step = STEPS + 1; step <= STEPS + LOOKS; step += 1) {
    folder.steps(step, step);
    looks.push(await timed(() => side.look()));
  }
  const grown = (heap() - before) / LOOKS;
  return [
    { what: `${EVENTS} events read and made curves of, in the host`, value: median(opens), unit: 'ms' },
    { what: 'one step more', value: median(looks), unit: 'ms' },
    { what: 'memory of one step more', value: grown, unit: 'bytes', reach: 'flat' },
  ];
}

/** From the click on a run until its curves are drawn, in the real workbench. */
async function inWorkbench(browser: Browser, url: string, workspace: string): Promise<number> {
  const page = await openWorkbench(browser, url, workspace);
  await page.getByRole('tab', { name: 'SQL Agent' }).click();
  const row = page.locator('.monaco-list-row', { hasText: 'many' }).first();
  await row.waitFor();
  // What the editor loads once for all of its panels is loaded with the small run.
  await page.locator('.monaco-list-row', { hasText: 'few' }).first().click();
  await (await trainingView(page)).locator('training-chart canvas').first().waitFor();
  const ms = await timed(async () => {
    await row.click();
    await page.locator('.tab.active', { hasText: 'many' }).waitFor();
    const view = page.locator('iframe.webview.ready').last().contentFrame();
    await view.locator('iframe#active-frame').contentFrame().locator('h1', { hasText: 'many' }).waitFor();
    await view.locator('iframe#active-frame').contentFrame().locator('training-chart canvas').first().waitFor();
  });
  await page.context().close();
  return ms;
}

async function run(): Promise<Measurement[]> {
  const temporary = mkdtempSync(join(tmpdir(), 'sql-agent-bench-'));
  await build();
  try {
    const workspace = makeWorkspace(temporary);
    const runs = join(workspace, 'training-runs');
    new TrainingRunFolder(join(runs, 'few'), 10).begin().steps(1, 10).beat({ state: 'stopped', step: 10 });
    const many = new TrainingRunFolder(join(runs, 'many'), STEPS + LOOKS).begin().steps(1, STEPS, EVERY);
    many.beat({ state: 'stopped', step: STEPS });
    const server = await startServer({ env: testEnvironment(temporary) });
    const browser = await launchBrowser();
    const opens: number[] = [];
    try {
      for (let count = 0; count < REPEATS; count += 1) opens.push(await inWorkbench(browser, server.url, workspace));
    } finally {
      await browser.close();
      server.stop();
    }
    return [
      {
        what: `a run of ${EVENTS} events opens, from the click to its curves, median of ${REPEATS} windows`,
        value: median(opens),
        unit: 'ms',
        reach: '<= 500 ms',
      },
      ...(await inHost(many)),
    ];
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

export const benchmark: Benchmark = { title: 'the view of a training run with many events', run };

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Browser, Page } from 'playwright-core';
import { build } from '../scripts/build.mjs';
import { launchBrowser, openWorkbench } from '../scripts/workbench/browser.ts';
import { makeWorkspace, testEnvironment } from '../scripts/workbench/inside.ts';
import { startServer } from '../scripts/workbench/server.ts';
import { RunSide } from '../src/host/train/side.ts';
import { TrainingRunFolder } from '../test/support/training-run.ts';
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

/** Milliseconds from the click on a run in the Runs view until its curves are drawn. */
async function opening(page: Page, name: string): Promise<number> {
  const row = page.locator('.monaco-list-row', { hasText: name }).first();
  await row.waitFor();
  return await timed(async () => {
    await row.click();
    await page.locator('.tab.active', { hasText: name }).waitFor();
    const view = page
      .locator('iframe.webview.ready')
      .last()
      .contentFrame()
      .locator('iframe#active-frame')
      .contentFrame();
    await view.locator('h1', { hasText: name }).waitFor();
    await view.locator('training-chart canvas').first().waitFor();
  });
}

/** Openings of a small run and of one with many events, in a window of its own. */
async function inWorkbench(browser: Browser, url: string, workspace: string): Promise<{ small: number; many: number }> {
  const page = await openWorkbench(browser, url, workspace);
  await page.getByRole('tab', { name: 'SQL Agent' }).click();
  // What the editor loads once for all of its panels.
  await opening(page, 'first');
  const opened = { small: await opening(page, 'small'), many: await opening(page, 'many') };
  await page.context().close();
  return opened;
}

async function run(): Promise<Measurement[]> {
  const temporary = mkdtempSync(join(tmpdir(), 'sql-agent-bench-'));
  await build();
  try {
    const workspace = makeWorkspace(temporary);
    const runs = join(workspace, 'training-runs');
    for (const name of ['first', 'small'])
      new TrainingRunFolder(join(runs, name), 10).begin().steps(1, 10).beat({ state: 'stopped', step: 10 });
    const many = new TrainingRunFolder(join(runs, 'many'), STEPS + LOOKS).begin().steps(1, STEPS, EVERY);
    many.beat({ state: 'stopped', step: STEPS });
    const checkpoints = join(many.path, 'checkpoints');
    // As a trainer leaves them: the last two and the best.
    const kept = [STEPS - (STEPS % EVERY), STEPS - (STEPS % EVERY) - EVERY, 80_000].map((step) => `step-${step}`);
    for (const name of readdirSync(checkpoints))
      if (!kept.includes(name)) rmSync(join(checkpoints, name), { recursive: true });
    const server = await startServer({ env: testEnvironment(temporary) });
    const browser = await launchBrowser();
    const opens: { small: number; many: number }[] = [];
    try {
      for (let count = 0; count < REPEATS; count += 1) opens.push(await inWorkbench(browser, server.url, workspace));
    } finally {
      await browser.close();
      server.stop();
    }
    const [small, large] = [opens.map((opened) => opened.small), opens.map((opened) => opened.many)].map(median);
    const how = `from the click to its curves, median of ${REPEATS} windows`;
    return [
      { what: `a run of ${EVENTS} events opens, ${how}`, value: large ?? Number.NaN, unit: 'ms', reach: '<= 500 ms' },
      { what: `a run of 10 events opens, ${how}`, value: small ?? Number.NaN, unit: 'ms' },
      ...(await inHost(many)),
    ];
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

export const benchmark: Benchmark = { title: 'the view of a training run with many events', run };

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LEDGER_FILE, Ledger } from '../src/runtime/store/ledger.ts';
import { openStore } from '../src/runtime/store/store.ts';
import { projectRoot } from '../test/support/cli.ts';
import { evalEntry, evalLine } from '../test/unit/ledger/support/entry.ts';
import type { Benchmark, Measurement } from './measurement.ts';

const RUNS = 10_000;
const REPEATS = 9;

/** A ledger of `RUNS` runs as appends would have written it, without waiting for the disk each time. */
function writeLedger(folder: string): void {
  const lines: string[] = [];
  let prev: string | null = null;
  for (let number = 0; number < RUNS; number += 1) {
    const random = createHash('sha256').update(String(number)).digest('hex').slice(0, 4);
    const text: string = JSON.stringify({
      ...evalLine(`20261129-${100_000 + number}-small-dev_shared-${random}`),
      prev,
    });
    lines.push(text, '\n');
    prev = createHash('sha256').update(text).digest('hex');
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, LEDGER_FILE), lines.join(''));
}

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function timed(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function often(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < REPEATS; count += 1) times.push(await timed(work));
  return median(times);
}

async function run(): Promise<Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sql-agent-bench-'));
  try {
    const results = join(folder, 'results');
    const home = join(folder, 'home');
    writeLedger(results);
    const listWithNewStore = async (limit: number | null) => {
      const store = openStore(home);
      await new Ledger(results, store).list(limit);
      store.close();
    };
    const first = await timed(() => listWithNewStore(null));
    const newest = await often(() => listWithNewStore(20));
    const all = await often(() => listWithNewStore(null));
    const store = openStore(home);
    const ledger = new Ledger(results, store);
    const found = await often(() => ledger.find('latest~5000'));
    const append = await often(() => ledger.append(evalEntry('next')));
    const afterAppend: number[] = [];
    for (let count = 0; count < REPEATS; count += 1) {
      await ledger.append(evalEntry(`more-${count}`));
      afterAppend.push(await timed(() => ledger.list(20)));
    }
    store.close();
    const env = { ...process.env, SQL_AGENT_HOME: home, SQL_AGENT_RESULTS: results };
    const command = (words: string[]) => () =>
      execFileSync(process.execPath, [join(projectRoot, 'src/cli/main.ts'), ...words], {
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    const start = await often(command(['--version']));
    const process20 = await often(command(['ledger', 'list']));
    const processAll = await often(command(['ledger', 'list', '--limit', '0']));
    return [
      { what: '10,000 runs: list the newest 20, store opened for it', value: newest, unit: 'ms', reach: '<= 100 ms' },
      { what: '10,000 runs: list all, store opened for it', value: all, unit: 'ms', reach: '<= 100 ms' },
      { what: '10,000 runs: list all for the first time, with its index made', value: first, unit: 'ms' },
      { what: '10,000 runs: list the newest 20 after another was added', value: median(afterAppend), unit: 'ms' },
      { what: '10,000 runs: find one of them', value: found, unit: 'ms' },
      { what: '10,000 runs: append one, on the disk', value: append, unit: 'ms' },
      { what: 'start of the command line alone (--version)', value: start, unit: 'ms' },
      { what: '10,000 runs: "ledger list", process in all', value: process20, unit: 'ms' },
      { what: '10,000 runs: "ledger list --limit 0", process in all', value: processAll, unit: 'ms' },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const benchmark: Benchmark = { title: 'the ledger of evaluations', run };

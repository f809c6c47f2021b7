import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Provider } from '../src/core/ports.ts';
import { DEFAULT_METRICS } from '../src/protocol/score.ts';
import { openEngine } from '../src/runtime/engine.ts';
import { locateDatabases } from '../src/runtime/evals/databases.ts';
import { scriptedModel } from '../src/runtime/evals/eval-model.ts';
import { loadDataset } from '../src/runtime/evals/load-dataset.ts';
import { runEval } from '../src/runtime/evals/run-eval.ts';
import { createScriptedProvider, Script } from '../src/runtime/model/scripted-provider.ts';
import { Ledger } from '../src/runtime/store/ledger.ts';
import { killAndResume } from './eval-kill.ts';
import { type EvalFiles, makeEval } from './eval-world.ts';
import type { Benchmark, Measurement } from './measurement.ts';

const ITEMS = 1000;
const RUNS = 3;
const KILLS = 50;
const TIMEOUT_MS = 30_000;

/** A provider whose time is counted. */
function timed(provider: Provider): { provider: Provider; ms: () => number } {
  let total = 0;
  const chat: Provider['chat'] = async (...given) => {
    const started = performance.now();
    try {
      return await provider.chat(...given);
    } finally {
      total += performance.now() - started;
    }
  };
  return { provider: { ...provider, chat }, ms: () => total };
}

/** One evaluation in this process, into a folder of results of its own. @returns ms an item beside the provider */
async function overhead(files: EvalFiles, run: number): Promise<{ perItem: number; right: number }> {
  const engine = await openEngine({ storage: join(files.folder, `home-${run}`), children: 2 });
  const { provider, ms } = timed(createScriptedProvider(Script.parse(JSON.parse(readFileSync(files.script, 'utf8')))));
  try {
    const dataset = await loadDataset(files.dataset);
    const { pathsOf } = await locateDatabases(dataset.items, { dataset, root: null, suite: false });
    const started = performance.now();
    const { summary } = await runEval(
      { engine, provider, ledger: new Ledger(join(files.folder, `results-${run}`), engine.store) },
      {
        dataset,
        items: dataset.items,
        split: null,
        pathsOf,
        databases: null,
        model: await scriptedModel('scripted', files.script),
        decoding: { samples: 1, retries: 0, turns: 4 },
        link: 'auto',
        timeoutMs: TIMEOUT_MS,
        metric: 'official_ex',
        score: {
          metrics: [...DEFAULT_METRICS],
          timeoutMs: TIMEOUT_MS,
          orderPolicy: 'gold_order_by',
          keepDistinct: false,
          suite: false,
          fragile: false,
        },
        concurrency: 1,
        command: ['sql-agent', 'eval'],
        cwd: files.folder,
        out: null,
        resume: false,
        keepErrors: false,
      },
      () => undefined,
      new AbortController().signal,
    );
    return { perItem: (performance.now() - started - ms()) / dataset.items.length, right: summary.outcomes.right };
  } finally {
    await engine.dispose();
  }
}

async function measureOverhead(): Promise<Measurement[]> {
  const files = makeEval(ITEMS, 0);
  try {
    const runs: Awaited<ReturnType<typeof overhead>>[] = [];
    for (let run = 0; run < RUNS; run += 1) runs.push(await overhead(files, run));
    const expected = ITEMS - Math.ceil(ITEMS / 3);
    if (runs.some(({ right }) => right !== expected)) throw new Error(`expected ${expected} right answers`);
    const median = runs.map(({ perItem }) => perItem).toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN;
    const what = `eval, time per item beside the provider (${ITEMS} items, all metrics, processes started in it)`;
    return [{ what, value: median, unit: 'ms', reach: '<= 5 ms' }];
  } finally {
    rmSync(files.folder, { recursive: true, force: true });
  }
}

export const benchmark: Benchmark = {
  title: `an evaluation: overhead (median of ${RUNS}), and kill -9 at ${KILLS} random moments, each followed by --resume`,
  async run() {
    const killed = await killAndResume(KILLS);
    const what = `kill -9 at ${KILLS} random moments of eval, then resumed (${killed.runs} runs, ${killed.items} items)`;
    return [
      ...(await measureOverhead()),
      { what: `${what}: items lost`, value: killed.lost, unit: '', reach: '0' },
      { what: `${what}: items repeated`, value: killed.repeated, unit: '', reach: '0' },
    ];
  },
};

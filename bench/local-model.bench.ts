// How long the bundled model takes on the bundled sample database: in one process as the editor holds it, and through
// the command line, each from an empty storage folder (so the first answer joins the model, too). Medians of five.
// And how soon a chat ends that is cancelled at moments spread over loading, reading and writing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChatRequest } from '../src/core/ports.ts';
import { renderLines1 } from '../src/core/schema/lines1.ts';
import { isAlive } from '../src/runtime/alive.ts';
import { ask } from '../src/runtime/ask.ts';
import type { AskRequest } from '../src/runtime/ask-request.ts';
import { readCatalog } from '../src/runtime/catalog.ts';
import { openEngine } from '../src/runtime/engine.ts';
import { createLocalProvider, type LocalProvider } from '../src/runtime/model/local-provider.ts';
import { readyModelFiles } from '../src/runtime/model/model-files.ts';
import { SandboxPool } from '../src/runtime/sandbox/pool.ts';
import { scanValues } from '../src/runtime/store/values.ts';
import type { Benchmark, Measurement } from './measurement.ts';

const ROUNDS = 5;
const CHINOOK = fileURLToPath(new URL('../media/chinook.sqlite', import.meta.url));
const CLI = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const FIRST = 'Which 5 artists have the most albums?';
const SECOND = 'How many customers live in Brazil?';

async function inFreshStorage<T>(work: (storage: string) => Promise<T>): Promise<T> {
  const storage = mkdtempSync(join(tmpdir(), 'sql-agent-bench-'));
  try {
    return await work(storage);
  } finally {
    rmSync(storage, { recursive: true, force: true });
  }
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function request(question: string): AskRequest {
  const limits = { samples: 1, turns: 4, timeoutMs: 30_000, maxRows: 1000 };
  return { db: CHINOOK, question, evidence: '', previous: null, link: 'auto', gold: null, transcript: null, ...limits };
}

/** First answer and second question as the editor gives them: engine and provider are opened by the first. */
async function inOneProcess(): Promise<[number, number]> {
  return inFreshStorage(async (storage) => {
    const started = performance.now();
    const engine = await openEngine({ storage });
    const provider = createLocalProvider({ name: 'small', storage });
    try {
      await ask(engine, provider, request(FIRST), () => undefined);
      const first = (performance.now() - started) / 1000;
      return [first, await secondsOf(() => ask(engine, provider, request(SECOND), () => undefined))];
    } finally {
      await provider.dispose();
      await engine.dispose();
    }
  });
}

async function runCli(storage: string): Promise<void> {
  const env = { ...process.env, SQL_AGENT_HOME: storage };
  const words = [CLI, 'ask', CHINOOK, FIRST, '--json', '--model', 'small'];
  const child = spawn(process.execPath, words, { env, stdio: 'ignore' });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`sql-agent ask ended with ${code}`);
}

/** Two starts of the command line on one storage folder. */
async function throughCli(): Promise<[number, number]> {
  return inFreshStorage(async (storage) => [
    await secondsOf(() => runCli(storage)),
    await secondsOf(() => runCli(storage)),
  ]);
}

async function chatRequest(): Promise<ChatRequest> {
  const sandbox = new SandboxPool({ children: 1 });
  try {
    const catalog = await readCatalog(sandbox, CHINOOK);
    const scan = await scanValues({ sandbox, store: null, db: CHINOOK, catalog, budgetMs: null });
    const { system, user, stablePrefix } = renderLines1({ catalog, scan, tables: null, question: FIRST, evidence: '' });
    const messages: ChatRequest['messages'] = [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ];
    return { messages, stablePrefix, prefixKey: null, temperature: 0, seed: null, maxTokens: 100 };
  } finally {
    await sandbox.dispose();
  }
}

/** Cancels a chat after `ms`. @returns milliseconds until it ended, and whether a busy child was left. */
async function cancelAfter(provider: LocalProvider, chat: ChatRequest, ms: number): Promise<number> {
  const controller = new AbortController();
  const { pid } = provider;
  let aborted = Number.NaN;
  const timer = setTimeout(() => {
    aborted = performance.now();
    controller.abort();
  }, ms);
  const ended = await provider.chat(chat, {}, controller.signal).then(
    () => Number.NaN,
    () => performance.now() - aborted,
  );
  clearTimeout(timer);
  if (provider.pid === null && pid !== null && isAlive(pid)) throw new Error('a killed child was left');
  return ended;
}

/** The longest of cancellations at 40 moments over the first 2.5 s of a chat whose model is loaded anew each time. */
async function slowestCancel(): Promise<number> {
  const chat = await chatRequest();
  return inFreshStorage(async (storage) => {
    await readyModelFiles('small', storage);
    let slowest = 0;
    for (let round = 0; round < 40; round += 1) {
      const provider = createLocalProvider({ name: 'small', storage });
      const took = await cancelAfter(provider, chat, round * 60);
      await provider.dispose();
      if (took > slowest) slowest = took;
    }
    return slowest;
  });
}

export const benchmark: Benchmark = {
  title: 'the bundled model on Chinook',
  async run(): Promise<Measurement[]> {
    const held: [number, number][] = [];
    const cli: [number, number][] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      held.push(await inOneProcess());
      cli.push(await throughCli());
      console.error(
        `  round ${round + 1}: ${[...(held.at(-1) ?? []), ...(cli.at(-1) ?? [])].map((s) => s.toFixed(2))}`,
      );
    }
    const at = (pairs: [number, number][], index: 0 | 1) => median(pairs.map((pair) => pair[index]));
    return [
      { what: 'first answer in a process, model joined meanwhile', value: at(held, 0), unit: 's', reach: '<= 6 s' },
      { what: 'second question in the same process', value: at(held, 1), unit: 's', reach: '<= 2 s' },
      { what: 'first start of the command line', value: at(cli, 0), unit: 's', reach: '<= 6 s' },
      { what: 'second start of the command line', value: at(cli, 1), unit: 's', reach: '< 6 s' },
      { what: 'slowest of 40 cancellations of a chat', value: await slowestCancel(), unit: 'ms', reach: '<= 200 ms' },
    ];
  },
};

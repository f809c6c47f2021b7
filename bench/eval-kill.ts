// kill -9 at random moments of `sql-agent eval`, then --resume: counts finished items that are lost or asked again.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Random } from '../src/core/score/statistics/random.ts';
import { type EvalFiles, makeEval } from './eval-world.ts';

const CLI = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const ITEMS = 300;
const REPLY_MS = 5;
/** Moments are drawn from the time of a start and of some dozens of items. */
const MOST_MS = 2500;
const SEED = 20261129;

export interface Killed {
  runs: number;
  items: number;
  lost: number;
  repeated: number;
}

interface Reply {
  delayMs: number | null;
}

/** The id of each record of a file that is complete. */
function idsOf(path: string): string[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => (JSON.parse(line) as { id: string }).id);
}

/** Starts or resumes the run in `out`. @returns ids of the items that it said to be finished; killed after `killMs` */
function evaluate(files: EvalFiles, out: string, { delayMs }: Reply): Promise<{ told: string[]; code: number | null }> {
  const words = [
    'eval',
    '--dataset',
    files.dataset,
    '--script',
    files.script,
    '--results',
    join(files.folder, 'results'),
  ];
  const child: ChildProcess = spawn(process.execPath, [CLI, ...words, '--out', out, '--resume', '--jsonl'], {
    env: { ...process.env, SQL_AGENT_HOME: join(files.folder, 'home') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  const timer = delayMs === null ? undefined : setTimeout(() => child.kill('SIGKILL'), delayMs);
  return new Promise((resolve) =>
    child.once('close', (code) => {
      clearTimeout(timer);
      const events = stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as { type: string; record?: { id: string } });
      resolve({ told: events.flatMap(({ record }) => record?.id ?? []), code });
    }),
  );
}

/** What an item came to over all parts of a run: how often it is there. */
function tally(files: EvalFiles, out: string, told: readonly string[]): { lost: number; repeated: number } {
  const there = idsOf(join(out, 'items.jsonl'));
  const counts = new Map<string, number>();
  for (const id of told) counts.set(id, (counts.get(id) ?? 0) + 1);
  const isThere = new Set(there);
  const lost = files.ids.filter((id) => !isThere.has(id)).length;
  const twiceTold = [...counts.values()].filter((count) => count > 1).length;
  return { lost, repeated: twiceTold + there.length - isThere.size };
}

/** @param kills how many processes are killed; when a run comes to its end, another begins */
export async function killAndResume(kills: number): Promise<Killed> {
  const files = makeEval(ITEMS, REPLY_MS);
  const random = new Random(SEED);
  const sum: Killed = { runs: 0, items: 0, lost: 0, repeated: 0 };
  let left = kills;
  try {
    while (left > 0) {
      const out = join(files.folder, `run-${sum.runs}`);
      const told: string[] = [];
      let before: string[] = [];
      let isDone = false;
      while (!isDone) {
        const delayMs = left > 0 ? random.below(MOST_MS) : null;
        const part = await evaluate(files, out, { delayMs });
        isDone = part.code === 0;
        if (part.code === null) left -= 1;
        else if (!isDone) throw new Error(`eval ended with exit code ${part.code}`);
        told.push(...part.told);
        const now = idsOf(join(out, 'items.jsonl'));
        const finished = [...before, ...part.told];
        sum.lost += finished.filter((id) => !now.includes(id)).length;
        before = now;
      }
      const { lost, repeated } = tally(files, out, told);
      sum.runs += 1;
      sum.items += files.ids.length;
      sum.lost += lost;
      sum.repeated += repeated;
    }
    return sum;
  } finally {
    rmSync(files.folder, { recursive: true, force: true });
  }
}

// `sql-agent score` on the 6,773 published predictions, as a process of its own with a fresh store, then the same again;
// 2 children, all metrics but r_ves.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sharedFolder } from '../test/support/shared.ts';
import type { Benchmark, Measurement } from './measurement.ts';

const PROGRAM = fileURLToPath(new URL('../scripts/sql-agent.mjs', import.meta.url));
const PAIRS = join(sharedFolder, 'data/spider/labelled_predictions.jsonl');
const ROOT = join(sharedFolder, 'data/spider/database');
const RUNS = 3;

/** Runs `sql-agent score`. @returns wall-clock seconds from start to end of the process */
async function score(home: string, out: string, words: string[]): Promise<number> {
  const started = performance.now();
  const args = [PROGRAM, 'score', '--pairs', PAIRS, '--db-root', ROOT, '--out', out, ...words];
  const child = spawn(process.execPath, args, { env: { ...process.env, SQL_AGENT_HOME: home }, stdio: 'ignore' });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`sql-agent score ended with exit code ${code}`);
  return (performance.now() - started) / 1000;
}

/** A hash of the verdicts without their times. */
function verdictsOf(path: string): string {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const bare = lines.map((line) => JSON.stringify({ ...JSON.parse(line), ms: 0 }));
  return createHash('sha256').update(bare.join('\n')).digest('hex');
}

function agreements(path: string): number {
  const labels = readFileSync(PAIRS, 'utf8').trimEnd().split('\n');
  const verdicts = readFileSync(path, 'utf8').trimEnd().split('\n');
  return labels.filter((line, index) => {
    const verdict: { spider_ex?: boolean } = JSON.parse(verdicts[index] ?? '{}');
    return verdict.spider_ex === JSON.parse(line).correct;
  }).length;
}

export const benchmark: Benchmark = {
  title: 'score 6,773 published predictions: cold, the same again, with 1, 2 and 8 children',
  async run(): Promise<Measurement[]> {
    const folder = mkdtempSync(join(tmpdir(), 'score-bench-'));
    const out = join(folder, 'verdicts.jsonl');
    try {
      const cold: number[] = [];
      const warm: number[] = [];
      for (let run = 0; run < RUNS; run++) {
        const home = join(folder, `home-${run}`);
        cold.push(await score(home, out, ['--children', '2']));
        warm.push(await score(home, out, ['--children', '2']));
      }
      const hashes = new Set([verdictsOf(out)]);
      for (const children of ['1', '2', '8']) {
        await score(folder, out, ['--children', children, '--no-cache']);
        hashes.add(verdictsOf(out));
      }
      return [
        {
          what: `score 6,773 pairs, 2 children, cold, best of ${RUNS}`,
          value: Math.min(...cold),
          unit: 's',
          reach: '<= 4 s',
        },
        { what: `the same again, best of ${RUNS}`, value: Math.min(...warm), unit: 's', reach: '<= 1.5 s' },
        { what: 'different verdicts from cache, 1, 2 and 8 children', value: hashes.size, unit: 'kinds', reach: '1' },
        { what: 'spider_ex as published, of 6,773', value: agreements(out), unit: 'pairs', reach: '6773' },
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

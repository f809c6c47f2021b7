import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../scripts/build.mjs';
import { runInside } from '../scripts/workbench/inside.ts';
import { vscodeVersion } from '../scripts/workbench/server.ts';
import type { Benchmark, Measurement } from './measurement.ts';

/** Windows that are opened; each activates the extension once. */
const WINDOWS = 5;

interface Activation {
  activateMs: number;
  totalMs: number;
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

async function activations(): Promise<Activation[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sql-agent-bench-'));
  const file = join(folder, 'activations.jsonl');
  try {
    for (let window = 0; window < WINDOWS; window++)
      if ((await runInside('measure-activation.cjs', { SQL_AGENT_RESULT: file })) !== 0)
        throw new Error('VS Code ended before the extension was measured');
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    return lines.map((line): Activation => JSON.parse(line));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(): Promise<Measurement[]> {
  const scripts = await build({ tests: true });
  const measured = await activations();
  const where = `VS Code ${vscodeVersion()}, median of ${WINDOWS} windows`;
  return [
    { what: `activate, ${where}`, value: median(measured.map((one) => one.activateMs)), unit: 'ms', reach: '<= 50 ms' },
    {
      what: `loading the bundle and activate, ${where}`,
      value: median(measured.map((one) => one.totalMs)),
      unit: 'ms',
    },
    ...scripts.map(({ file, bytes }) => ({
      what: `script of ${file}`,
      value: bytes / 1024,
      unit: 'KB',
      reach: '<= 150 KB',
    })),
  ];
}

export const benchmark: Benchmark = { title: 'activation in the real workbench, size of the webview scripts', run };

// `node bench/gpu/prove.ts [--out DIR] [--within SECONDS] [--python python3] [--small FILE] [--coder FILE] [--pairs FILE] NAME…`:
// proofs on a GPU one after another, each with a limit of its time; a failure does not keep the next from running. NAME:
// kernels, kernels-own, kernels-specialised, engine, sanitize, model, gradients-small, gradients-1.7b, losses, parts,
// step-SHAPE-i|ii, peer-SHAPE-i|ii (PyTorch), steps-4b, steps-1.7b (ours and PyTorch's), hidden, hidden-SHAPE-i|ii, real-small,
// real-coder, train-small. Words behind colons go to the command, those with "=" into its environment:
// `steps-4b:PACK=8192:cheap`. The output folder gets output.txt, results.jsonl (every line of JSON) and summary.txt, written
// anew after each proof, all three below 16 MB.
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { DeviceMemory } from './device-memory.ts';
import { type Proof, proofOf, spread } from './proofs.ts';
import { type Result, stepRatios, summaryLine } from './summary.ts';

/** Most characters that are kept of one proof's output; what is beyond its first half is cut from the middle. */
const KEPT = 1_000_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: process.env['OUT'] ?? 'proofs' },
    within: { type: 'string', default: '100000' },
    python: { type: 'string', default: 'python3' },
    small: { type: 'string' },
    coder: { type: 'string' },
    pairs: { type: 'string' },
  },
});
const scratch = mkdtempSync(join(tmpdir(), 'sql-agent-prove-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(path));
const [small, coder, pairs] = [values.small, values.coder, values.pairs].map(absolute);
const places = { out: resolve(values.out), scratch, python: values.python, small, coder, pairs };
mkdirSync(places.out, { recursive: true });
const end = performance.now() + Number(values.within) * 1000;
const results: Result[] = [];

/** Runs a command in a group of processes of its own, which is ended when its time is over. */
async function run(
  { command, env }: Proof,
  seconds: number,
): Promise<{ output: string; code: number | null; isLate: boolean }> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: scratch, ...env },
  });
  let output = '';
  let isLate = false;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const timer = setTimeout(() => {
    isLate = true;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, seconds * 1000);
  const code = await new Promise<number | null>((done) => {
    child.on('close', done);
    child.on('error', (error) => {
      output += `${error.message}\n`;
      done(null);
    });
  });
  clearTimeout(timer);
  return { output, code, isLate };
}

function keptOf(output: string): string {
  if (output.length <= KEPT) return output;
  return `${output.slice(0, KEPT / 2)}\n… ${output.length - KEPT} characters left out …\n${output.slice(-KEPT / 2)}`;
}

function jsonLines(output: string): Record<string, unknown>[] {
  return output.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [];
    try {
      return [JSON.parse(line) as Record<string, unknown>];
    } catch {
      return [];
    }
  });
}

async function prove(name: string): Promise<Result> {
  const left = (end - performance.now()) / 1000;
  if (left < 5) return { name, outcome: 'no time left', seconds: 0, deviceGiB: null, lines: [] };
  const proof = proofOf(name, places);
  const memory = await DeviceMemory.watch();
  const started = performance.now();
  const { output, code, isLate } = await run(proof, Math.min(proof.limit, left));
  const seconds = (performance.now() - started) / 1000;
  const deviceGiB = memory.end();
  appendFileSync(join(places.out, 'output.txt'), `== ${name}: ${proof.command.join(' ')}\n${keptOf(output)}\n`);
  let outcome = isLate ? 'out of time' : code === 0 ? 'ok' : `FAILED (${code})`;
  try {
    proof.keep?.();
  } catch (error) {
    outcome += `, nothing kept: ${error instanceof Error ? error.message : String(error)}`;
  }
  return { name, outcome, seconds, deviceGiB, lines: jsonLines(output) };
}

const names = positionals.flatMap(spread);
for (const name of names) {
  let result: Result;
  try {
    result = await prove(name);
  } catch (error) {
    result = {
      name,
      outcome: `FAILED: ${error instanceof Error ? error.message : String(error)}`,
      seconds: 0,
      deviceGiB: null,
      lines: [],
    };
  }
  results.push(result);
  const { outcome, seconds, deviceGiB } = result;
  const lines = [{ outcome, seconds, deviceGiB }, ...result.lines].map(
    (line) => `${JSON.stringify({ of: name, ...line })}\n`,
  );
  appendFileSync(join(places.out, 'results.jsonl'), lines.join(''));
  const summary = [...results.map(summaryLine), ...stepRatios(results)].join('\n');
  writeFileSync(join(places.out, 'summary.txt'), `${summary}\n`);
  console.log(summaryLine(result));
}
for (const line of stepRatios(results)) console.log(line);
process.exitCode = results.every(({ outcome }) => outcome === 'ok') ? 0 : 1;

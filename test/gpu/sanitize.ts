// `node test/gpu/sanitize.ts [--out FILE] [--tools memcheck,racecheck,synccheck,initcheck] [--seconds 120]`: small shapes with guarded
// memory, then the same under compute-sanitizer. Each tool first has to find mistakes that are made on purpose: one that does
// not, or that does not work on this machine, is told of with its own words, and what the guards said stands. A line of JSON a
// run, to FILE too; ends with 1 where an error was found.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findSanitizer, readSanitizer, type SanitizerReport } from './sanitizer-report.ts';

const PROGRAM = fileURLToPath(new URL('./small-shapes.ts', import.meta.url));

/** What each tool is told beside, and which of the planted mistakes it is for. */
const TOOLS: Readonly<Record<string, { options: readonly string[]; planted: RegExp | null }>> = {
  memcheck: {
    // A kernel with an error ends alone; what it wrote beside lands in nothing.
    options: ['--destroy-on-device-error', 'kernel', '--padding', '4096'],
    planted: /^Invalid __global__ write in widen_rows$/,
  },
  racecheck: { options: ['--racecheck-report', 'all'], planted: / in planted_race$/ },
  synccheck: { options: [], planted: null },
  initcheck: { options: [], planted: /^Uninitialized __global__ memory read in copy_columns$/ },
};

interface Run {
  output: string;
  code: number | null;
  seconds: number;
  isLate: boolean;
}

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    tools: { type: 'string', default: Object.keys(TOOLS).join(',') },
    seconds: { type: 'string', default: '120' },
  },
});

let failed = 0;

/** @param isFine null: nothing was found out */
function tell(what: string, isFine: boolean | null, more: object): void {
  if (isFine === false) failed++;
  const line = JSON.stringify({ proof: 'sanitize', what, pass: isFine, ...more });
  console.log(line);
  if (values.out !== undefined) appendFileSync(values.out, `${line}\n`);
}

/** Runs a program with all that it starts; ends them where they take too long. */
async function run(program: string, args: readonly string[]): Promise<Run> {
  const begin = performance.now();
  const child = spawn(program, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, isLate] = ['', false];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      output += text.toString('utf8');
    });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const timer = setTimeout(() => {
    isLate = true;
    // The group: the tool and the program that it watches.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, Number(values.seconds) * 1000);
  const code = await ended;
  clearTimeout(timer);
  return { output, code, seconds: Math.round((performance.now() - begin) / 100) / 10, isLate };
}

/** What the small shapes themselves found wrong, and their last line. */
function ownWords(output: string): { off: string[]; last: string } {
  const lines = output.split('\n').filter((line) => !line.startsWith('====='));
  const last = lines.findLast((line) => line.startsWith('small shapes:'));
  return { off: lines.filter((line) => line.startsWith('OFF')).slice(0, 20), last: last ?? lines.slice(-5).join(' ') };
}

async function guards(what: string, args: readonly string[]): Promise<void> {
  const { output, code, seconds, isLate } = await run(process.execPath, [PROGRAM, ...args]);
  tell(`guards, ${what}`, code === 0 && !isLate, { seconds, isLate, ...ownWords(output) });
}

async function under(sanitizer: string, tool: string, options: readonly string[], args: readonly string[]) {
  const all = ['--tool', tool, '--target-processes', 'all', '--print-limit', '200', ...options];
  const done = await run(sanitizer, [...all, process.execPath, PROGRAM, 'exact', ...args]);
  return { ...done, report: readSanitizer(done.output) };
}

/** Whether a tool finds the mistake that is for it. */
async function seesMistakes(sanitizer: string, tool: string): Promise<boolean> {
  const { options = [], planted = null } = TOOLS[tool] ?? {};
  if (planted === null) return true;
  const { report, seconds, output } = await under(sanitizer, tool, options, ['own', 'planted']);
  const isSeen = Object.keys(report.found).some((key) => planted.test(key));
  if (isSeen) tell(`${tool}, planted mistakes`, true, { seconds, ...report });
  else
    tell(`${tool}, planted mistakes: not found, so it is not asked further`, null, {
      seconds,
      ...report,
      ...ownWords(output),
    });
  return isSeen;
}

async function examine(
  sanitizer: string,
  tool: string,
  what: string,
  options: readonly string[],
  args: readonly string[],
) {
  const { report, output, seconds, isLate, code } = await under(sanitizer, tool, options, args);
  const words = ownWords(output);
  // Without a last line it did not come to the end.
  const isWhole = words.last.startsWith('small shapes:') && !isLate;
  tell(`${tool}, ${what}`, verdict(report, isWhole), { seconds, isLate, code, ...report, ...words });
}

function verdict({ errors, found }: SanitizerReport, isWhole: boolean): boolean | null {
  if ((errors ?? 0) > 0 || Object.keys(found).length > 0) return false;
  return errors === null || !isWhole ? null : true;
}

await guards('own products and attention', ['own']);
await guards('with the libraries that are there', []);
const { path, searched } = findSanitizer();
if (path === null) tell('compute-sanitizer is not on this machine', null, { searched });
else {
  const { output } = await run(path, ['--version']);
  tell(`${path}, ${/Version [^\n]*/.exec(output)?.[0] ?? output.trim()}`, null, {});
  for (const tool of values.tools.split(',')) {
    const options = TOOLS[tool]?.options;
    if (options === undefined) throw new Error(`--tools takes ${Object.keys(TOOLS).join(', ')}, not "${tool}"`);
    if (!(await seesMistakes(path, tool))) continue;
    await examine(path, tool, 'own kernels', options, ['own']);
    // Calls that fail are part of how libraries find out what there is.
    if (tool === 'memcheck')
      await examine(path, tool, 'with the libraries', [...options, '--report-api-errors', 'no'], []);
  }
}
console.log(failed === 0 ? 'sanitize: PASS' : `sanitize: FAIL, ${failed} off`);
process.exitCode = failed === 0 ? 0 : 1;

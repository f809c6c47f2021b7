// `node bench/gpu/hidden.ts 1.7b|4b|small [i|ii]`: seconds of a training step with all libraries, with kernels for any model, with
// NVRTC hidden (and with it cuDNN, which needs it), and with cuBLASLt, cuDNN and NVRTC hidden, one after another, each in a
// process of its own. Prints a table and a JSON line a way; other arguments go to bench/gpu/step.ts.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const STEP = fileURLToPath(new URL('./step.ts', import.meta.url));
const [, , shape = '1.7b', workload = 'i', ...others] = process.argv;
const NONE = 'none';

const WAYS: { way: string; hidden: Record<string, string>; more: string[] }[] = [
  { way: 'all libraries', hidden: {}, more: [] },
  { way: 'kernels for any model', hidden: {}, more: ['unspecialised'] },
  { way: 'without NVRTC', hidden: { SQL_AGENT_NVRTC: NONE }, more: [] },
  {
    way: 'without cuBLASLt, cuDNN, NVRTC',
    hidden: { SQL_AGENT_NVRTC: NONE, SQL_AGENT_CUDNN: NONE, SQL_AGENT_CUBLASLT: NONE },
    more: [],
  },
];

interface Timed {
  seconds: number;
  tokensPerSecond: number;
  products: string;
  attention: string;
  kernels: string;
}

/** The last line of a run of step.ts. @throws Error where it fails */
function time(hidden: Record<string, string>, more: readonly string[]): Timed {
  const args = [STEP, shape, workload, ...others, ...more];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...process.env, ...hidden },
  });
  const line = stdout.split('\n').findLast((one) => one.startsWith('{'));
  if (status !== 0 || line === undefined) throw new Error(`step.ts ended with ${status}: ${stderr || stdout}`);
  return JSON.parse(line) as Timed;
}

const rows: string[] = [];
let first: number | null = null;
for (const { way, hidden, more } of WAYS) {
  const timed = time(hidden, more);
  first ??= timed.seconds;
  const ratio = Number((timed.seconds / first).toFixed(3));
  const { seconds, tokensPerSecond, products, attention, kernels } = timed;
  console.log(JSON.stringify({ ...timed, bench: 'hidden', way, ratio }));
  rows.push(
    `| ${way} | ${seconds.toFixed(3)} | ${ratio.toFixed(2)} | ${tokensPerSecond} | ${products}; attention by ${attention}; ${kernels} |`,
  );
}
console.log(['', '| step | s | times the first | tokens/s | by |', '|---|---|---|---|---|', ...rows].join('\n'));

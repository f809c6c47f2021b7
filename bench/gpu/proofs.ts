import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { RUN_FILES } from '../../src/protocol/training.ts';
import { childEntry } from '../../src/runtime/paths.ts';

/** A command that proves or times something on a GPU. */
export interface Proof {
  command: string[];
  /** Seconds after which it is ended. */
  limit: number;
  env?: NodeJS.ProcessEnv;
  /** Copies what is to be kept into the output folder, however it ended. */
  keep?: () => void;
}

/** What the proofs need to be told. */
export interface ProofPlaces {
  out: string;
  /** A folder for what is not kept. */
  scratch: string;
  python: string;
  /** Bases and pairs; undefined: the proofs that need them fail. */
  small: string | undefined;
  coder: string | undefined;
  pairs: string | undefined;
}

const NODE = [process.execPath, '--disable-warning=ExperimentalWarning'];
/** Files that come back from a GPU machine must be smaller than 16 MB. */
const PIECE = 15_000_000;

function option(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`--${name}`, value];
}

/** Names that stand for several. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'steps-4b': ['step-4b-i', 'step-4b-ii', 'peer-4b-i', 'peer-4b-ii'],
  'steps-1.7b': ['step-1.7b-i', 'step-1.7b-ii', 'peer-1.7b-i', 'peer-1.7b-ii'],
  'peer-4b': ['peer-4b-i', 'peer-4b-ii'],
  'peer-1.7b': ['peer-1.7b-i', 'peer-1.7b-ii'],
  hidden: ['hidden-1.7b-i', 'hidden-1.7b-ii'],
};

/**
 * Single proofs behind a name. Words behind colons go to the command, those with a `=` into its environment:
 * `steps-4b:PACK=8192:cheap`.
 */
export function spread(given: string): string[] {
  const [name = '', ...words] = given.split(':');
  const suffix = words.map((word) => `:${word}`).join('');
  // PyTorch has no packs and modes of ours.
  return (GROUPS[name] ?? [name]).map((one) => (one.startsWith('peer-') ? one : one + suffix));
}

/** The proof of a name with its words. @throws Error for an unknown name */
export function proofOf(given: string, places: ProofPlaces): Proof {
  const [name = '', ...words] = given.split(':');
  const settings = words.filter((word) => word.includes('='));
  const proof = named(name, places);
  return {
    ...proof,
    command: [...proof.command, ...words.filter((word) => !word.includes('='))],
    env: { ...proof.env, ...Object.fromEntries(settings.map((word) => word.split('=', 2) as [string, string])) },
  };
}

function named(name: string, places: ProofPlaces): Proof {
  const { python, small, coder, pairs } = places;
  const torch = [...option('pairs', pairs), ...option('python', python)];
  const test = (limit: number, ...command: string[]): Proof => ({ command: [...NODE, ...command], limit });
  const [kind, shape = '', workload = ''] = /^(step|hidden|peer)-([\d.]+b|small)-(i|ii)$/.exec(name)?.slice(1) ?? [];
  if (kind === 'step') return test(120, 'bench/gpu/step.ts', shape, workload);
  if (kind === 'hidden') return test(180, 'bench/gpu/hidden.ts', shape, workload);
  if (kind === 'peer') return peer(shape, workload, places);
  switch (name) {
    case 'kernels':
      return test(120, 'test/gpu/kernels.ts');
    case 'kernels-own':
      return test(120, 'test/gpu/kernels.ts', 'own');
    case 'kernels-specialised':
      return test(180, 'test/gpu/specialised.ts');
    case 'engine':
      return test(120, 'test/gpu/engine.ts');
    case 'sanitize':
      return test(400, 'test/gpu/sanitize.ts');
    case 'model':
      return test(60, 'test/gpu/model.ts');
    case 'parts':
      return test(120, 'bench/gpu/parts.ts');
    case 'gradients-small':
      return test(150, 'test/gpu/gradients.ts', 'small', ...torch, ...option('base', small));
    case 'gradients-1.7b':
      return test(240, 'test/gpu/gradients.ts', '1.7b', ...option('python', python));
    case 'losses':
      return test(400, 'test/gpu/losses.ts', ...torch, ...option('base', small), '--yardstick');
    case 'real-small':
      return test(240, 'bench/gpu/real-data.ts', 'small', ...torch, ...option('base', small));
    case 'real-coder':
      return test(300, 'bench/gpu/real-data.ts', 'coder', ...torch, ...option('base', coder));
    case 'train-small':
      return trainSmall(places);
    default:
      throw new Error(`no proof ${name}`);
  }
}

/** The best-tuned PyTorch on the same shapes. */
function peer(shape: string, workload: string, { python, scratch }: ProofPlaces): Proof {
  const out = join(scratch, `peer-${shape}-${workload}.jsonl`);
  const tests = ['--tests', workload === 'i' ? 'i_compile' : 'ii_packed_compile', '--steps', '3'];
  const env = { PYTHONUNBUFFERED: '1', HF_HUB_OFFLINE: '1' };
  return {
    command: [python, 'bench/peers/peft_baseline.py', '--model', shape, '--out', out, ...tests],
    limit: 200,
    env,
  };
}

/** `small` on all pairs, as it is shipped; its adapter comes back in pieces. */
function trainSmall({ out, scratch, small, pairs }: ProofPlaces): Proof {
  const run = join(scratch, 'run');
  mkdirSync(run, { recursive: true });
  const batch = { examples: 64, pack_tokens: 16_384 };
  const settings = { model: { base: small }, data: { train: pairs }, batch, every: { eval: 200, checkpoint: 1000 } };
  writeFileSync(join(run, RUN_FILES.config), JSON.stringify({ ...settings, device: 'cuda' }));
  const keep = () => {
    writeFileSync(join(out, 'events.jsonl.gz'), gzipSync(readFileSync(join(run, RUN_FILES.events))));
    const adapter = readFileSync(join(run, RUN_FILES.adapterGguf));
    for (let piece = 0; piece * PIECE < adapter.length; piece++)
      writeFileSync(join(out, `adapter.${piece}`), adapter.subarray(piece * PIECE, (piece + 1) * PIECE));
  };
  return { command: [...NODE, childEntry('trainer'), 'train', run], limit: 240, keep };
}

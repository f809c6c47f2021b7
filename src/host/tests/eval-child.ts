import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fromWireError } from '../../protocol/errors.ts';
import { EvalEvent } from '../../protocol/eval.ts';
import { childEntry } from '../../runtime/paths.ts';
import { cancelled } from '../errors.ts';
import { evalEnded, evalNotStarted } from './errors.ts';

/** What is left to a child that was asked to stop: it writes its ledger line meanwhile. */
const GRACE_MS = 10_000;
/** Characters of its standard error that are kept, the last ones. */
const SAID_CHARACTERS = 2000;

export interface EvalChildOptions {
  /** The words behind `sql-agent`. */
  words: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** The program; the command line of this extension by default. */
  program?: string;
  /** How long a child that was asked to stop may take before it is killed, in milliseconds. */
  graceMs?: number;
  /** Told one event after the other; the child waits where it does not resolve. */
  onEvent(event: EvalEvent): Promise<void>;
  /** A line of its output that is none of its events, or that it wrote to its standard error. */
  onOther(line: string): void;
}

/** Asks a child to stop, and kills it where it does not in time. */
function stopGently(child: ChildProcess, graceMs: number): NodeJS.Timeout {
  child.kill('SIGTERM');
  return setTimeout(() => child.kill('SIGKILL'), graceMs);
}

/** The event of a line; null where it is none. */
function eventOf(line: string): EvalEvent | null {
  try {
    const parsed = EvalEvent.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/**
 * Runs an evaluation in a process of its own and tells its events. Ends when the process has ended, also where `signal`
 * aborted: then as `cancelled`, having told what was finished.
 * @throws AppError the one that the evaluation failed with; `eval_ended` where it died; `eval_not_started`; `cancelled`
 */
export async function runEvalChild(options: EvalChildOptions, signal: AbortSignal): Promise<void> {
  if (signal.aborted) throw cancelled();
  const { words, cwd, env, program = childEntry('cli'), graceMs = GRACE_MS } = options;
  const child = spawn(process.execPath, [program, ...words], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let killer: NodeJS.Timeout | undefined;
  const stop = () => {
    killer = stopGently(child, graceMs);
  };
  signal.addEventListener('abort', stop, { once: true });
  const reading = readEvents(child.stdout, options);
  let said = '';
  createInterface({ input: child.stderr }).on('line', (line) => {
    said = `${said}${line}\n`.slice(-SAID_CHARACTERS);
    options.onOther(line);
  });
  try {
    const [last, how] = await Promise.all([reading, ended(child)]);
    judge(last, how, said.trim(), signal);
  } finally {
    clearTimeout(killer);
    signal.removeEventListener('abort', stop);
  }
}

/** Tells the events of a child's output. @returns the last one, once there are no more */
async function readEvents(output: Readable, { onEvent, onOther }: EvalChildOptions): Promise<EvalEvent | null> {
  let last: EvalEvent | null = null;
  for await (const line of createInterface({ input: output })) {
    const event = eventOf(line);
    if (event === null) onOther(line);
    else {
      last = event;
      await onEvent(event);
    }
  }
  return last;
}

/** Resolves with how the child ended, once all that it wrote was read. @throws AppError `eval_not_started` */
function ended(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      if (child.pid === undefined) reject(evalNotStarted(error.message));
    });
    child.once('close', (code, name) => resolve(name === null ? `exit code ${code}` : `signal ${name}`));
  });
}

function judge(last: EvalEvent | null, how: string, said: string, signal: AbortSignal): void {
  if (signal.aborted) throw cancelled();
  if (last?.type === 'failed') throw fromWireError(last.error);
  if (last?.type !== 'ended') throw evalEnded(how, said);
}

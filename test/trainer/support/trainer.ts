import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TrainingHistory } from '../../../src/core/training/history.ts';
import { TrainingEvent } from '../../../src/protocol/training.ts';
import { compileCacheFolder } from '../../../src/runtime/paths.ts';

const PROGRAM = fileURLToPath(new URL('../../../python-free-trainer/src/cli.ts', import.meta.url));

export interface TrainerCall {
  /** Called with each event that the trainer prints. */
  onEvent?: (event: TrainingEvent, child: ChildProcess) => void;
  /** Largest file that it may write, in kB. */
  fileLimit?: number;
  /** Its storage folder. */
  home: string;
}

export interface TrainerEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
  /** What it printed, a value a line. */
  printed: unknown[];
}

/** Runs `sql-agent-trainer` with `--json` as a process of its own. */
export function callTrainer(words: string[], { onEvent, fileLimit, home }: TrainerCall): Promise<TrainerEnd> {
  const command = [process.execPath, PROGRAM, ...words, '--json'];
  const limited = ['bash', '-c', `ulimit -f ${fileLimit} && exec "$@"`, 'bash', ...command];
  const [program = '', ...args] = fileLimit === undefined ? command : limited;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { NODE_COMPILE_CACHE: compileCacheFolder() ?? '', ...process.env, SQL_AGENT_HOME: home },
    });
    const printed: unknown[] = [];
    let [rest, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const value: unknown = JSON.parse(line);
        printed.push(value);
        const event = TrainingEvent.safeParse(value);
        if (event.success) onEvent?.(event.data, child);
      }
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, stderr, printed }));
  });
}

/** Makes a run directory. @returns its path */
export function runFolder(parent: string, name: string, settings: object): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'config.json'), JSON.stringify(settings));
  return folder;
}

/** Every line of `events.jsonl` as it stands. */
export function eventsOf(folder: string): TrainingEvent[] {
  const text = readFileSync(join(folder, 'events.jsonl'), 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => TrainingEvent.parse(JSON.parse(line)));
}

/** What a reader sees of a run: without what resumes made void. */
export function historyOf(folder: string): TrainingHistory {
  const history = new TrainingHistory();
  for (const event of eventsOf(folder)) history.take(event);
  return history;
}

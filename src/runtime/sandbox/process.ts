import { type ChildProcess, fork } from 'node:child_process';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { SandboxReply, type SandboxRequest, type SandboxStart } from '../../protocol/sandbox-channel.ts';
import { childEntry, compileCacheFolder } from '../paths.ts';
import { LIFELINE, MEMORY_SIGN } from './lifeline.ts';

/** How a child ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Why it could not be started; null where it was. */
  error: Error | null;
  outOfMemory: boolean;
}

export interface ProcessOptions {
  /** The pool's folder with `empty`, the child's working directory, and `temp`, for what SQLite must put somewhere. */
  folder: string;
  /** Cap of the child's memory in bytes. */
  memoryBytes: number;
  /** True: the child watches its memory itself, because the parent cannot see it. */
  watchesItself: boolean;
}

/** Variables that a child needs to run at all, or to tell local time as its user does. */
const KEPT = ['SystemRoot', 'TZ', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH'];

function environment(tempFolder: string): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { SQLITE_TMPDIR: tempFolder, TMPDIR: tempFolder, TEMP: tempFolder, TMP: tempFolder };
  for (const name of KEPT) if (process.env[name] !== undefined) env[name] = process.env[name];
  const cache = compileCacheFolder();
  if (cache !== null) env['NODE_COMPILE_CACHE'] = cache;
  if (process.versions['electron'] !== undefined) env['ELECTRON_RUN_AS_NODE'] = '1';
  return env;
}

/** V8 aborts the process where the JavaScript heap is full. */
function isHeapFull(code: number | null, signal: NodeJS.Signals | null): boolean {
  return signal === 'SIGABRT' || code === 134;
}

/** One sandbox child: a process that is killed, never asked to stop. */
export class SandboxProcess {
  /** Resolves when the process is gone; never rejects. */
  readonly exited: Promise<Exit>;
  onReply: (reply: SandboxReply) => void = () => {};
  onExit: (exit: Exit) => void = () => {};
  #child: ChildProcess;
  #lifeline: Socket | null = null;
  #isGone = false;
  #ranOutOfMemory = false;

  constructor(options: ProcessOptions) {
    const { folder, memoryBytes, watchesItself } = options;
    const start: SandboxStart = { folder, memoryBytes: watchesItself ? memoryBytes : null };
    this.#child = fork(childEntry('sandbox-child'), [JSON.stringify(start)], {
      cwd: join(folder, 'empty'),
      env: environment(join(folder, 'temp')),
      execArgv: ['--no-warnings', '--expose-gc', `--max-old-space-size=${Math.ceil(memoryBytes / 2 ** 20)}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc', 'pipe'],
    });
    this.#holdLifeline();
    this.exited = new Promise((resolve) => {
      const gone = (exit: Exit) => {
        if (this.#isGone) return;
        this.#isGone = true;
        resolve(exit);
        this.onExit(exit);
      };
      // Not 'exit': what the child wrote to the lifeline must have been read.
      this.#child.once('close', (code, signal) =>
        gone({ code, signal, error: null, outOfMemory: this.#ranOutOfMemory || isHeapFull(code, signal) }),
      );
      this.#child.once('error', (error) => {
        // Node also reports a failed send or kill here, after which the process may well live.
        if (this.#child.pid === undefined) gone({ code: null, signal: null, error, outOfMemory: false });
      });
    });
    this.#child.on('message', (message) => this.onReply(SandboxReply.parse(message)));
    // A pool that nobody disposes of must not keep its program alive; a running query does, by its deadline's timer.
    this.#child.unref();
    this.#child.channel?.unref();
  }

  /** The pipe that closes when this process dies, and by which a child says that it needs too much memory. */
  #holdLifeline(): void {
    const lifeline = this.#child.stdio[LIFELINE];
    if (!(lifeline instanceof Socket)) return;
    this.#lifeline = lifeline;
    lifeline.unref();
    lifeline.on('error', () => {});
    lifeline.on('data', (data) => {
      if (data.toString() === MEMORY_SIGN) this.#ranOutOfMemory = true;
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(request: SandboxRequest): void {
    // A failed send means that the child is gone; `onExit` says so.
    this.#child.send(request, () => {});
  }

  kill(): void {
    if (this.#isGone) return;
    // Whoever kills waits for the end, so the end must be seen even where nothing else keeps the program alive.
    this.#child.ref();
    this.#child.channel?.ref();
    this.#lifeline?.ref();
    this.#child.kill('SIGKILL');
  }
}

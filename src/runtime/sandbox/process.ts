import { type ChildProcess, fork } from 'node:child_process';
import { SandboxReply, type SandboxRequest } from '../../protocol/sandbox-channel.ts';
import { childEntry } from '../paths.ts';

/** How a child ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Why it could not be started; null where it was. */
  error: Error | null;
}

export interface ProcessOptions {
  /** An empty folder, the child's working directory. */
  cwd: string;
  /** Where SQLite may put what it must put somewhere. */
  tempFolder: string;
  /** Cap of the JavaScript heap in bytes. */
  heapBytes: number;
}

/** Variables that a child needs to run at all, or to tell local time as its user does. */
const KEPT = ['SystemRoot', 'TZ', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH'];

function environment(tempFolder: string): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { SQLITE_TMPDIR: tempFolder, TMPDIR: tempFolder, TEMP: tempFolder, TMP: tempFolder };
  for (const name of KEPT) if (process.env[name] !== undefined) env[name] = process.env[name];
  if (process.versions['electron'] !== undefined) env['ELECTRON_RUN_AS_NODE'] = '1';
  return env;
}

/** One sandbox child: a process that is killed, never asked to stop. */
export class SandboxProcess {
  /** Resolves when the process is gone; never rejects. */
  readonly exited: Promise<Exit>;
  onReply: (reply: SandboxReply) => void = () => {};
  onExit: (exit: Exit) => void = () => {};
  #child: ChildProcess;
  #isGone = false;

  constructor(options: ProcessOptions) {
    this.#child = fork(childEntry('sandbox-child'), [], {
      cwd: options.cwd,
      env: environment(options.tempFolder),
      execArgv: ['--no-warnings', `--max-old-space-size=${Math.ceil(options.heapBytes / 2 ** 20)}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.exited = new Promise((resolve) => {
      const gone = (exit: Exit) => {
        if (this.#isGone) return;
        this.#isGone = true;
        resolve(exit);
        this.onExit(exit);
      };
      this.#child.once('exit', (code, signal) => gone({ code, signal, error: null }));
      this.#child.once('error', (error) => {
        // Node also reports a failed send or kill here, after which the process may well live.
        if (this.#child.pid === undefined) gone({ code: null, signal: null, error });
      });
    });
    this.#child.on('message', (message) => this.onReply(SandboxReply.parse(message)));
    // A pool that nobody disposes of must not keep its program alive; a running query does, by its deadline's timer.
    this.#child.unref();
    this.#child.channel?.unref();
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
    this.#child.kill('SIGKILL');
  }
}

import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import type { CancelSignal } from '../../core/ports.ts';
import { type AppError, fromWireError } from '../../protocol/errors.ts';
import { type ModelChat, ModelEvent, type ModelLoad, type ModelRequest } from '../../protocol/model-channel.ts';
import { deferred } from './deferred.ts';
import { cancelled, providerCrashed } from './errors.ts';

/** Runs `work` after a while; returns a function that calls it off. Injected so that tests need not wait. */
export type Schedule = (work: () => void, ms: number) => () => void;

/** Timers that do not keep the process alive. */
export const schedule: Schedule = (work, ms) => {
  const timer = setTimeout(work, ms);
  timer.unref();
  return () => clearTimeout(timer);
};

export interface ModelProcessOptions {
  name: string;
  /** The program to fork. */
  program: string;
  /** What the child is to load; called before each start of a child. */
  prepare: (signal?: CancelSignal) => Promise<ModelLoad>;
  /** A child unused for so long is ended. */
  idleMs: number;
  /** A child that has not stopped so long after a cancellation is killed. Default 100. */
  graceMs?: number;
  schedule?: Schedule;
}

export type ModelAnswer = Extract<ModelEvent, { type: 'done' }>;
export type ModelQuestion = Omit<ModelChat, 'type' | 'id'>;

interface Pending {
  id: number;
  text: string;
  cancelling: boolean;
  onEvent: (event: ModelEvent) => void;
  resolve: (answer: ModelAnswer) => void;
  reject: (error: AppError) => void;
}

const LOG_CHARACTERS = 4000;

/** Resolves with `promise`, or rejects as soon as `signal` aborts. */
async function orCancelled<T>(promise: Promise<T>, signal: CancelSignal | undefined): Promise<T> {
  if (!signal) return promise;
  if (signal.aborted) throw cancelled('The answer');
  const stop = deferred<never>();
  const onAbort = () => stop.reject(cancelled('The answer'));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, stop.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Environment of a child: this process's, less what would change how Node starts. */
export function childEnvironment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, ...env } = process.env;
  return process.versions['electron'] ? { ...env, ELECTRON_RUN_AS_NODE: '1' } : env;
}

/** A model in a process of its own: started by the first chat, one chat at a time, killed when it does not obey. */
export class ModelProcess {
  readonly #options: ModelProcessOptions;
  readonly #schedule: Schedule;
  #child: ChildProcess | null = null;
  #loaded = false;
  #log = '';
  #pending: Pending | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #endIdle: () => void = () => undefined;
  #chats = 0;
  #closed = false;
  /** Resolves when the child that is being killed is gone. */
  #gone: Promise<void> = Promise.resolve();

  constructor(options: ModelProcessOptions) {
    this.#options = options;
    this.#schedule = options.schedule ?? schedule;
  }

  /** Process id of the child, null while there is none. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** True where the next chat need not load the model first. */
  get loaded(): boolean {
    return this.#loaded;
  }

  /**
   * Asks the model. Chats wait for each other.
   * @throws AppError `cancelled` within `graceMs` of the signal, `provider_crashed`, what `prepare` throws, and what the
   * child reports.
   */
  async chat(
    question: ModelQuestion,
    onEvent: (event: ModelEvent) => void,
    signal?: CancelSignal,
  ): Promise<ModelAnswer> {
    const done = deferred<void>();
    const turn = this.#queue;
    this.#queue = turn.then(() => done.promise);
    try {
      await orCancelled(turn, signal);
      this.#endIdle();
      return await this.#run(question, onEvent, signal);
    } finally {
      done.resolve();
      this.#rest();
    }
  }

  /**
   * Starts the child and the loading of its model, and does not wait for the end of that. A failure is told by the next
   * chat, which tries again. An abort before a chat has come ends a child that is still loading.
   */
  async warm(signal?: CancelSignal): Promise<void> {
    const done = deferred<void>();
    const turn = this.#queue;
    this.#queue = turn.then(() => done.promise);
    const endLoading = () => {
      if (!this.#loaded && !this.#pending) void this.#kill();
    };
    try {
      await orCancelled(turn, signal);
      if (this.#child || this.#closed) return;
      await this.#gone;
      const load = await orCancelled(this.#options.prepare(signal), signal);
      if (this.#closed) return;
      this.#start(load);
      signal?.addEventListener('abort', endLoading, { once: true });
    } catch {
      // Cancelled, or a failure that the next chat meets again.
    } finally {
      done.resolve();
      this.#rest();
    }
  }

  /** Ends the child. A chat that runs is cancelled, and so is any later one. */
  async dispose(): Promise<void> {
    this.#closed = true;
    this.#endIdle();
    if (this.#pending) this.#pending.cancelling = true;
    await this.#kill();
  }

  async #run(
    question: ModelQuestion,
    onEvent: (event: ModelEvent) => void,
    signal: CancelSignal | undefined,
  ): Promise<ModelAnswer> {
    await this.#gone;
    const load = this.#child ? null : await orCancelled(this.#options.prepare(signal), signal);
    if (this.#closed) throw cancelled('The answer');
    const child = load ? this.#start(load) : this.#child;
    if (!child) throw providerCrashed(this.#options.name, 'it was ended meanwhile', this.#log);
    child.ref();
    child.channel?.ref();
    this.#chats += 1;
    const id = this.#chats;
    const result = deferred<ModelAnswer>();
    const pending: Pending = { id, text: '', cancelling: false, onEvent, ...result };
    this.#pending = pending;
    let endGrace: () => void = () => undefined;
    const onAbort = () => {
      pending.cancelling = true;
      // While it loads, a child hears nothing that could stop it.
      this.#send({ type: 'cancel', id });
      const grace = this.#loaded ? (this.#options.graceMs ?? 100) : 0;
      endGrace = this.#schedule(() => void this.#kill(), grace);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      this.#send({ type: 'chat', id, ...question });
      if (signal?.aborted) onAbort();
      return await result.promise;
    } finally {
      this.#pending = null;
      endGrace();
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #start(load: ModelLoad): ChildProcess {
    const child = fork(this.#options.program, [], {
      serialization: 'advanced',
      execArgv: [],
      env: childEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child = child;
    this.#loaded = false;
    this.#log = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-LOG_CHARACTERS);
    });
    child.on('message', (message) => this.#receive(child, ModelEvent.parse(message)));
    child.on('error', (error) => this.#ended(child, error.message));
    // Not `exit`: what the child wrote last may still be on its way then.
    child.on('close', (code, signal) => this.#ended(child, signal ? `signal ${signal}` : `exit code ${code}`));
    this.#send(load);
    return child;
  }

  #send(request: ModelRequest): void {
    // A child that is gone reports by its exit.
    this.#child?.send(request, () => undefined);
  }

  #receive(child: ChildProcess, event: ModelEvent): void {
    if (child !== this.#child) return;
    if (event.type === 'loaded') this.#loaded = true;
    const pending = this.#pending;
    if (event.type === 'failed' && event.id === null) {
      pending?.reject(fromWireError(event.error));
      void this.#kill();
      return;
    }
    if (!pending || ('id' in event && event.id !== pending.id)) return;
    if (event.type === 'text') pending.text += event.text;
    if (event.type === 'failed') pending.reject(fromWireError(event.error));
    else if (pending.cancelling && event.type === 'done') pending.reject(cancelled('The answer', pending.text));
    else if (event.type === 'done') pending.resolve(event);
    else if (!pending.cancelling) pending.onEvent(event);
  }

  #ended(child: ChildProcess, how: string): void {
    if (child !== this.#child) return;
    this.#child = null;
    this.#loaded = false;
    const pending = this.#pending;
    if (!pending) return;
    if (pending.cancelling) pending.reject(cancelled('The answer', pending.text));
    else pending.reject(providerCrashed(this.#options.name, how, this.#log));
  }

  async #kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = deferred<void>();
    this.#gone = gone.promise;
    child.once('close', () => gone.resolve());
    child.once('error', () => gone.resolve());
    // An idle child is not counted by the event loop, and its end would never be heard of; nor would that of its pipes,
    // which `close` waits for.
    child.ref();
    child.channel?.ref();
    (child.stderr as Socket | null)?.ref();
    child.kill('SIGKILL');
    await gone.promise;
  }

  /** Lets the parent end while the child is idle, and ends the child when it is idle for long. */
  #rest(): void {
    const child = this.#child;
    // One that was killed is waited for, which an `unref` would end.
    if (!child || this.#pending || child.killed) return;
    child.unref();
    child.channel?.unref();
    (child.stderr as Socket | null)?.unref();
    this.#endIdle();
    this.#endIdle = this.#schedule(() => void this.#kill(), this.#options.idleMs);
  }
}

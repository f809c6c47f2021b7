import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type AppError, fromWireError, toWireError } from '../../../../src/protocol/errors.ts';
import { childEntry } from '../../../../src/runtime/paths.ts';
import type { PackedBatch } from '../../data/batch.ts';
import type { Adapter } from '../../model/adapter.ts';
import type { ModelConfig } from '../../model/config.ts';
import { usefulFlops } from '../../model/flops.ts';
import type { BatchResult, Engine, EngineInfo, Objective, OptimiserState, UpdateSettings } from '../engine.ts';
import { engineLost } from '../errors.ts';
import type { OpenOptions } from '../open.ts';
import type { AskName, CallName, EngineCalls, EngineStart, FromThread, ToThread } from './messages.ts';

/** A call that the thread has not answered yet. */
interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Computes what the thread asks for. */
type Answerer = (ask: AskName, args: unknown[]) => unknown;

/** The thread with its messages. It keeps the process alive only while a call waits. */
class Connection {
  memory = 0;
  answer: Answerer = () => {
    throw new Error('nothing to answer with');
  };
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  #lost: AppError | null = null;

  constructor(start: EngineStart) {
    this.#worker = new Worker(childEntry('trainer-engine'), { workerData: start });
    this.#worker.unref();
    this.#worker.on('message', (message: FromThread) => {
      if ('ask' in message) void this.#asked(message);
      else this.#answered(message);
    });
    this.#worker.on('error', (error) => this.#lose(engineLost(error instanceof Error ? error.message : String(error))));
    this.#worker.on('exit', (code) => this.#lose(engineLost(`exit code ${code}`)));
  }

  /** @throws AppError what the thread threw; `engine_lost` where it has ended */
  call<Name extends CallName>(
    call: Name,
    ...args: Parameters<EngineCalls[Name]>
  ): Promise<ReturnType<EngineCalls[Name]>> {
    if (this.#lost !== null) return Promise.reject(this.#lost);
    const id = this.#calls++;
    this.#worker.ref();
    this.#send({ call, id, args });
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: (value) => resolve(value as ReturnType<EngineCalls[Name]>), reject });
    });
  }

  async close(): Promise<void> {
    if (this.#lost === null) {
      const ended = once(this.#worker, 'exit');
      await this.call('close').catch(() => undefined);
      this.#lost ??= engineLost('it was closed');
      await Promise.all([this.#worker.terminate(), ended]);
    } else await this.#worker.terminate();
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  async #asked({ ask, id, args }: Extract<FromThread, { ask: AskName }>): Promise<void> {
    try {
      this.#send({ answerTo: id, value: await this.answer(ask, args) });
    } catch (error) {
      this.#send({ answerTo: id, error: toWireError(error) });
    }
  }

  #answered(message: Extract<FromThread, { resultOf: number }>): void {
    const waiting = this.#waiting.get(message.resultOf);
    this.#waiting.delete(message.resultOf);
    if (this.#waiting.size === 0) this.#worker.unref();
    this.memory = message.memory;
    if (!('error' in message)) {
      waiting?.resolve(message.value);
      return;
    }
    const error = fromWireError(message.error);
    // The driver answers nothing more to this process, so nothing more is asked of it.
    if (error.code === 'gpu_lost') this.#lost = error;
    waiting?.reject(error);
  }

  #lose(error: AppError): void {
    this.#lost ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#lost);
    this.#waiting.clear();
  }
}

/** An engine on a thread of its own: the caller's thread goes on while work is queued and awaited there. */
class ThreadEngine implements Engine {
  readonly info: EngineInfo;
  readonly #connection: Connection;
  readonly #config: ModelConfig;

  constructor(connection: Connection, info: EngineInfo, config: ModelConfig) {
    this.#connection = connection;
    this.info = info;
    this.#config = config;
  }

  accumulate(
    batch: PackedBatch,
    objective: Objective,
    options: { temperature?: number } = {},
  ): Promise<BatchResult & { loss: number }> {
    this.#connection.answer = (_, [logProbs]) => objective(logProbs as Float64Array, batch);
    return this.#connection.call('accumulate', batch, objective.constantGradient?.(batch) ?? null, options);
  }

  evaluate(batch: PackedBatch, options: { adapter?: boolean; temperature?: number } = {}): Promise<BatchResult> {
    return this.#connection.call('evaluate', batch, options);
  }

  update(settings: UpdateSettings): Promise<{ gradNorm: number }> {
    return this.#connection.call('update', settings);
  }

  plan(packTokens: number): Promise<string | null> {
    return this.#connection.call('plan', packTokens);
  }

  flops(batch: PackedBatch): number {
    return usefulFlops(this.#config, this.info.trainedParameters, batch);
  }

  adapter(): Promise<Adapter> {
    return this.#connection.call('adapter');
  }

  optimiser(): Promise<OptimiserState> {
    return this.#connection.call('optimiser');
  }

  restore(adapter: Adapter, optimiser: OptimiserState): Promise<void> {
    return this.#connection.call('restore', adapter, optimiser);
  }

  memory(): number {
    return this.#connection.memory;
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}

/**
 * As `openEngine`, on a thread of its own.
 *
 * @throws AppError what `openEngine` throws, `engine_lost`
 */
export async function openThreadEngine({ source, ...options }: OpenOptions): Promise<Engine> {
  const { config, name, file, container, types, shapes } = source;
  const connection = new Connection({ options, source: { config, name, file, container, types, shapes } });
  connection.answer = (_, [tensor, length]) => {
    const into = typeof length === 'number' ? new Float32Array(length) : undefined;
    return source.read(tensor as string, into);
  };
  try {
    return new ThreadEngine(connection, await connection.call('open'), config);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

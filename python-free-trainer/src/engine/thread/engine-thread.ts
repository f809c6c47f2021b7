import { parentPort, workerData } from 'node:worker_threads';
import { fromWireError, toWireError, type WireError } from '../../../../src/protocol/errors.ts';
import type { WeightSource } from '../../io/weight-source.ts';
import type { BackendEngine } from '../backend-engine.ts';
import { openEngine } from '../open.ts';
import type { PassObjective } from '../passes.ts';
import type { AskName, CallName, EngineAsks, EngineCalls, EngineStart, FromThread, ToThread } from './messages.ts';

// The thread of a `ThreadEngine`.

type Promised<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (...args: infer Args) => infer Value
    ? (...args: Args) => Promise<Value>
    : never;
};

class EngineThread {
  readonly #start: EngineStart;
  readonly #send: (message: FromThread) => void;
  readonly #asked = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>();
  #asks = 0;
  #engine: BackendEngine | null = null;

  constructor(start: EngineStart, send: (message: FromThread) => void) {
    this.#start = start;
    this.#send = send;
  }

  async receive(message: ToThread): Promise<void> {
    if ('answerTo' in message) {
      this.#answered(message);
      return;
    }
    const { call, id, args } = message;
    const result = await this.#call(call, args).then(
      (value) => ({ value }),
      (error: unknown) => ({ error: toWireError(error) }),
    );
    this.#send({ resultOf: id, memory: this.#engine?.memory() ?? 0, ...result });
  }

  #answered(message: { answerTo: number } & ({ value: unknown } | { error: WireError })): void {
    const waiting = this.#asked.get(message.answerTo);
    this.#asked.delete(message.answerTo);
    if ('error' in message) waiting?.reject(fromWireError(message.error));
    else waiting?.resolve(message.value);
  }

  #ask<Name extends AskName>(ask: Name, ...args: Parameters<EngineAsks[Name]>): Promise<ReturnType<EngineAsks[Name]>> {
    const id = this.#asks++;
    this.#send({ ask, id, args });
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve: (value) => resolve(value as ReturnType<EngineAsks[Name]>), reject });
    });
  }

  #call(name: CallName, args: unknown[]): Promise<unknown> {
    const call = this.#calls[name] as (...args: unknown[]) => Promise<unknown>;
    return call(...args);
  }

  readonly #calls: Promised<EngineCalls> = {
    open: async () => {
      this.#engine = await openEngine({ ...this.#start.options, source: this.#source() });
      return this.#engine.info;
    },
    accumulate: (batch, constant, options) => {
      const objective: PassObjective = (logProbs) => this.#ask('objective', logProbs);
      if (constant !== null) objective.constantGradient = () => constant;
      return this.#opened().accumulate(batch, objective, options);
    },
    evaluate: (batch, options) => this.#opened().evaluate(batch, options),
    update: (settings) => this.#opened().update(settings),
    plan: (packTokens) => this.#opened().plan(packTokens),
    adapter: () => this.#opened().adapter(),
    optimiser: () => this.#opened().optimiser(),
    restore: (adapter, optimiser) => this.#opened().restore(adapter, optimiser),
    close: async () => {
      await this.#engine?.close();
      this.#engine = null;
    },
  };

  #opened(): BackendEngine {
    if (this.#engine === null) throw new Error('the engine is not open');
    return this.#engine;
  }

  #source(): WeightSource {
    return {
      ...this.#start.source,
      read: async (name, into) => {
        const values = await this.#ask('weights', name, into?.length ?? null);
        into?.set(values);
        return into ?? values;
      },
      close: () => Promise.resolve(),
    };
  }
}

const port = parentPort;
if (port !== null) {
  const thread = new EngineThread(workerData as EngineStart, (message) => port.postMessage(message));
  port.on('message', (message: ToThread) => {
    void thread.receive(message);
  });
}

import type { AskEvent } from '../../protocol/ask.ts';
import type { Catalog, Table } from '../../protocol/catalog.ts';
import { AppError, toWireError } from '../../protocol/errors.ts';
import { type JsonQueryResult, toJsonResult } from '../../protocol/query.ts';
import type { CancelSignal, ChatProgress, ChatRequest, Clock, Provider, Sandbox } from '../ports.ts';
import { renderDdl } from '../schema/ddl.ts';
import { tablesOf } from '../sql/parse.ts';
import type { Effect, Input, Steps, TableAnswer } from './effects.ts';
import { hintsFor, similarTables } from './similar-names.ts';

/** The world that an agent works on. */
export interface World {
  provider: Provider;
  sandbox: Sandbox;
  clock: Clock;
  catalog: Catalog;
  /** Absolute path of the database. */
  db: string;
  limits: { timeoutMs: number; maxRows: number };
  onEvent(event: AskEvent): void;
}

/** Answers the effects of an agent, one at a time. */
export type Performer = (effect: Effect) => Promise<Input>;

/** Runs an agent to its end. */
export async function drive<T>(steps: Steps<T>, perform: Performer): Promise<T> {
  let step = steps.next();
  while (!step.done) step = steps.next(await perform(step.value));
  return step.value;
}

/** Resolves when the signal aborts; `stop` takes the listener off again. */
function untilAborted(signal: CancelSignal | undefined): { aborted: Promise<void>; stop(): void } {
  let stop = () => {};
  const aborted = new Promise<void>((resolve) => {
    if (signal === undefined) return;
    const listener = () => resolve();
    if (signal.aborted) listener();
    else signal.addEventListener('abort', listener, { once: true });
    stop = () => signal.removeEventListener('abort', listener);
  });
  return { aborted, stop };
}

/** One message of the model; what it tells meanwhile is passed on until `close` is called. */
class Chat {
  readonly #world: World;
  readonly #turn: number;
  readonly #started: number;
  #text = '';
  #isOpen = true;

  constructor(world: World, turn: number) {
    this.#world = world;
    this.#turn = turn;
    this.#started = world.clock.now();
  }

  async run(request: ChatRequest, signal?: CancelSignal): Promise<Input> {
    try {
      const reply = await this.#world.provider.chat(request, this.#progress(), signal);
      return { type: 'reply', reply, ms: this.#elapsed() };
    } catch (error) {
      const { code, message } = toWireError(error);
      if (code === 'cancelled') return this.cancelled();
      if (!(error instanceof AppError)) throw error;
      return { type: 'chat_failed', error: { code, message }, text: this.#text, ms: this.#elapsed() };
    }
  }

  cancelled(): Input {
    return { type: 'cancelled', text: this.#text, ms: this.#elapsed() };
  }

  close(): void {
    this.#isOpen = false;
  }

  #elapsed(): number {
    return this.#world.clock.now() - this.#started;
  }

  #progress(): ChatProgress {
    const tell = (event: AskEvent) => {
      if (this.#isOpen) this.#world.onEvent(event);
    };
    return {
      onPhase: (phase, detail) => tell({ type: 'phase', phase, detail }),
      onToken: (text) => {
        if (this.#isOpen) this.#text += text;
        tell({ type: 'token', turn: this.#turn, text });
      },
    };
  }
}

async function performChat(world: World, turn: number, request: ChatRequest, signal?: CancelSignal): Promise<Input> {
  const chat = new Chat(world, turn);
  const replied = chat.run(request, signal);
  // A provider that is slow to notice must not keep the user waiting: its reply is let go.
  const { aborted, stop } = untilAborted(signal);
  try {
    return await Promise.race([replied, aborted.then(() => chat.cancelled())]);
  } finally {
    chat.close();
    stop();
    replied.catch(() => {});
  }
}

async function performQuery(
  { sandbox, clock, catalog, db, limits, onEvent }: World,
  sql: string,
  signal?: CancelSignal,
): Promise<Input> {
  const started = clock.now();
  onEvent({ type: 'phase', phase: 'querying', detail: null });
  const result = toJsonResult(await sandbox.query({ db, sql, ...limits }, signal));
  return { type: 'result', result, hints: hintsOn(catalog, sql, result), ms: clock.now() - started };
}

/** What may have been meant where a query names a table or column that is not there; sentences, none where unsure. */
export function hintsOn(catalog: Catalog, sql: string, { status, message }: JsonQueryResult): string[] {
  return status === 'error' && message !== null ? hintsFor(catalog, message, tablesOf(sql)) : [];
}

function tableAnswer(catalog: Catalog, asked: string): TableAnswer {
  const same = (table: Table) => table.name.toLowerCase() === asked.toLowerCase() && table.type !== 'shadow';
  const table = catalog.tables.find(same);
  return table
    ? { asked, found: { name: table.name, ddl: renderDdl(table) }, similar: [] }
    : { asked, found: null, similar: similarTables(catalog, asked) };
}

/**
 * A performer over the ports. Once `signal` is aborted every effect is answered by `cancelled`, without touching a port.
 *
 * @throws AppError where the database file itself is the matter
 */
export function performer(world: World, signal?: CancelSignal): Performer {
  return async (effect) => {
    switch (effect.type) {
      case 'event':
        world.onEvent(effect.event);
        return { type: 'done' };
      case 'tables':
        return { type: 'tables', tables: effect.names.map((name) => tableAnswer(world.catalog, name)) };
      case 'chat':
        if (signal?.aborted) return { type: 'cancelled', text: '', ms: 0 };
        return await performChat(world, effect.turn, effect.request, signal);
      case 'query':
        if (signal?.aborted) return { type: 'cancelled', text: '', ms: 0 };
        return await performQuery(world, effect.sql, signal);
    }
  };
}

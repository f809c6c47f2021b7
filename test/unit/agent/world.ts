import { DatabaseSync } from 'node:sqlite';
import { agent } from '../../../src/core/agent/agent.ts';
import { drive, type Performer, performer } from '../../../src/core/agent/perform.ts';
import { resultOf } from '../../../src/core/agent/result.ts';
import type { AgentSetup } from '../../../src/core/agent/setup.ts';
import type { CancelSignal, ChatRequest, Provider, Sandbox } from '../../../src/core/ports.ts';
import { catalogFromDdl } from '../../../src/core/schema/from-ddl.ts';
import { renderLines1 } from '../../../src/core/schema/lines1.ts';
import type { AskEvent, AskResult } from '../../../src/protocol/ask.ts';
import type { QueryRequest, QueryResult } from '../../../src/protocol/query.ts';
import type { Cell } from '../../../src/protocol/value.ts';
import { createScriptedProvider, type Script } from '../../../src/runtime/model/scripted-provider.ts';

export const DDL = `CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, country TEXT, age INTEGER);
CREATE TABLE concert (id INTEGER PRIMARY KEY, singer_id INTEGER REFERENCES singer(id), year INTEGER);
CREATE TABLE stadium (id INTEGER PRIMARY KEY, city TEXT);`;

export const ROWS = `INSERT INTO singer VALUES (1, 'Ann', 'France', 31), (2, 'Bo', 'France', 25), (3, 'Cy', 'Peru', 40);
INSERT INTO concert VALUES (1, 1, 2014), (2, 1, 2015), (3, 2, 2014);`;

const EMPTY = { position: null, columns: [], origins: [], rows: [], truncated: false, ms: 1, touched: [], notes: [] };

/** A sandbox over a database in this process: real SQL without processes. Remembers what it ran. */
export class MemorySandbox implements Sandbox {
  readonly ran: string[] = [];
  readonly #database = new DatabaseSync(':memory:');

  constructor(sql: string) {
    this.#database.exec(sql);
  }

  async query({ sql, maxRows = 1000 }: QueryRequest, signal?: CancelSignal): Promise<QueryResult> {
    this.ran.push(sql);
    if (signal?.aborted) return { status: 'cancelled', code: 'cancelled', message: 'cancelled', ...EMPTY };
    try {
      const statement = this.#database.prepare(sql);
      statement.setReturnArrays(true);
      const rows = statement.all() as unknown as Cell[][];
      const columns = statement.columns().map(({ name }) => name);
      const truncated = rows.length > maxRows;
      return { status: 'ok', code: null, message: null, ...EMPTY, columns, rows: rows.slice(0, maxRows), truncated };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { status: 'error', code: 'SQLITE_ERROR', message, ...EMPTY };
    }
  }
}

export interface Played {
  result: AskResult;
  events: AskEvent[];
  /** What the model was sent, one a message. */
  requests: ChatRequest[];
  ran: string[];
}

export interface PlayOptions {
  question?: string;
  samples?: number;
  retries?: number;
  repair?: boolean;
  turns?: number;
  /** Tables in the prompt; all others are left out. */
  kept?: string[];
  previous?: AgentSetup['previous'];
  rows?: string;
  maxRows?: number;
  /** Called with each event; may abort. */
  onEvent?(event: AskEvent): void;
  signal?: AbortSignal;
  provider?: Provider;
  /** Wraps the performer, e.g. to record. */
  around?(perform: Performer): Performer;
}

function setupOf(provider: Provider, options: PlayOptions): AgentSetup {
  const { question = 'How many singers are there?', samples = 1, turns = 4, kept = null, previous = null } = options;
  const catalog = catalogFromDdl(DDL);
  const left = catalog.tables.map(({ name }) => name).filter((name) => kept !== null && !kept.includes(name));
  const prompt = renderLines1({ catalog, scan: { columns: [], skipped: [] }, tables: kept, question, evidence: '' });
  return {
    protocol: provider.protocol,
    model: provider.model,
    question,
    evidence: '',
    previous,
    prompt: { ...prompt, prefixKey: 'schema' },
    linked: { mode: 'full', kept: kept ?? catalog.tables.map(({ name }) => name), left, scores: {} },
    samples,
    retries: options.retries,
    repair: options.repair,
    turns,
    maxTokens: 100,
  };
}

/** Runs the agent on the small database above with a scripted model, on a clock that stands still. */
export async function play(script: Script, options: PlayOptions = {}): Promise<Played> {
  const provider = options.provider ?? createScriptedProvider(script);
  const requests: ChatRequest[] = [];
  const events: AskEvent[] = [];
  const sandbox = new MemorySandbox(`${DDL}${options.rows ?? ROWS}`);
  const world = {
    provider: {
      ...provider,
      chat: (...given: Parameters<Provider['chat']>) => {
        requests.push(structuredClone(given[0]));
        return provider.chat(...given);
      },
    },
    sandbox,
    clock: { now: () => 0 },
    catalog: catalogFromDdl(DDL),
    db: ':memory:',
    limits: { timeoutMs: 1000, maxRows: options.maxRows ?? 100 },
    onEvent: (event: AskEvent) => {
      events.push(event);
      options.onEvent?.(event);
    },
  };
  const setup = setupOf(provider, options);
  const perform = performer(world, options.signal);
  const outcome = await drive(agent(setup), options.around?.(perform) ?? perform);
  return { result: resultOf(setup, outcome, [], 0), events, requests, ran: sandbox.ran };
}

export function turns(...replies: Script['replies']): Script {
  return { protocol: 'turns', replies };
}

export function oneShot(...replies: Script['replies']): Script {
  return { protocol: 'one_shot', replies };
}

/** A reply as the system prompt asks for it. */
export function say(action: Record<string, unknown>): string {
  return `\`\`\`json\n${JSON.stringify(action)}\n\`\`\``;
}

/** The last message that the model was sent in a request. */
export function lastMessage(played: Played, request: number): string {
  return played.requests[request]?.messages.at(-1)?.content ?? '';
}

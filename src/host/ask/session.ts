import type { Provider } from '../../core/ports.ts';
import type { AskEvent } from '../../protocol/ask.ts';
import { toWireError } from '../../protocol/errors.ts';
import type { ask } from '../../runtime/ask.ts';
import type { AskRequest } from '../../runtime/ask-request.ts';
import type { Engine } from '../../runtime/engine.ts';
import { type AskAction, type AskState, EMPTY, isRunning, type Question, reduce } from './state.ts';

/** What a session asks of its surroundings. */
export interface AskNeeds {
  /** Absolute path of the database. */
  db: string;
  /** The provider that the settings choose; disposed when the question is answered. */
  provider(): Promise<Provider>;
  engine(): Promise<Engine>;
  /** `ask` of the runtime, loaded on first use. */
  load(): Promise<typeof ask>;
  settings(): Pick<AskRequest, 'turns' | 'link' | 'timeoutMs' | 'maxRows'>;
  now(): number;
  /** Told after each action, with the state after it. */
  onAction(action: AskAction, state: AskState): void;
}

/** The questions of one panel, one at a time, and the SQL that the user runs beside. */
export class AskSession {
  readonly #needs: AskNeeds;
  #state: AskState;
  #asking: AbortController | null = null;
  #querying: AbortController | null = null;

  constructor(needs: AskNeeds, state: AskState = EMPTY) {
    this.#needs = needs;
    this.#state = state;
  }

  get state(): AskState {
    return this.#state;
  }

  #dispatch(action: AskAction): void {
    this.#state = reduce(this.#state, action);
    this.#needs.onAction(action, this.#state);
  }

  /** Asks. Ends when the question is answered, stopped or failed; failures are in the state. @returns what failed, if anything. */
  async ask(question: Question): Promise<unknown> {
    if (isRunning(this.#state)) return null;
    this.stopSql();
    const controller = new AbortController();
    this.#asking = controller;
    const now = () => this.#needs.now();
    this.#dispatch({ type: 'asked', at: now(), question });
    try {
      await this.#answer(question, controller.signal, (event) => this.#dispatch({ type: 'event', at: now(), event }));
      return null;
    } catch (error) {
      // Errors of the agent are in the state already; those before it are not.
      this.#dispatch({ type: 'failed', at: now(), error: toWireError(error) });
      return error;
    } finally {
      this.#asking = null;
    }
  }

  async #answer(question: Question, signal: AbortSignal, tell: (event: AskEvent) => void): Promise<void> {
    const provider = await this.#needs.provider();
    try {
      const [engine, askAgent] = await Promise.all([this.#needs.engine(), this.#needs.load()]);
      const request: AskRequest = { ...this.#needs.settings(), ...question, db: this.#needs.db, gold: null };
      await askAgent(engine, provider, request, tell, signal);
    } finally {
      await provider.dispose();
    }
  }

  /** Asks the last question again. */
  async again(): Promise<unknown> {
    const { run, samples } = this.#state;
    if (run === null) return null;
    const { question, evidence, previous } = run;
    return await this.ask({ question, evidence, previous, samples });
  }

  /** Stops the agent. */
  stop(): void {
    if (this.#asking === null) return;
    this.#dispatch({ type: 'stopping' });
    this.#asking.abort();
  }

  /** Runs the user's own SQL; an earlier one that still runs is stopped. @returns what failed, if anything. */
  async runSql(sql: string): Promise<unknown> {
    this.stopSql();
    const controller = new AbortController();
    this.#querying = controller;
    this.#dispatch({ type: 'sqlStarted', sql });
    const isLatest = () => this.#querying === controller;
    try {
      const { sandbox } = await this.#needs.engine();
      const { timeoutMs, maxRows } = this.#needs.settings();
      const result = await sandbox.query({ db: this.#needs.db, sql, timeoutMs, maxRows }, controller.signal);
      if (isLatest()) this.#dispatch({ type: 'sqlEnded', result });
      return null;
    } catch (error) {
      if (isLatest()) this.#dispatch({ type: 'sqlFailed', error: toWireError(error) });
      return error;
    } finally {
      if (isLatest()) this.#querying = null;
    }
  }

  stopSql(): void {
    this.#querying?.abort();
  }

  /** Forgets the user's own SQL and what it gave. */
  discardSql(): void {
    this.stopSql();
    this.#querying = null;
    this.#dispatch({ type: 'sqlDiscarded' });
  }

  /** Stops all that runs; nothing is told any more of the SQL. */
  dispose(): void {
    this.#asking?.abort();
    this.#querying?.abort();
    this.#querying = null;
  }
}

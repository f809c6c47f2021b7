import type { DapEvent, DapMessage, DapResponse, Scope, StackFrame, Variable } from '../../../src/protocol/dap.ts';
import { DapSession } from '../../../src/runtime/dap/session.ts';
import { SandboxPool } from '../../../src/runtime/sandbox/pool.ts';

export type Body = Record<string, unknown>;

/** A client of a debug session, as an editor is one. */
export class DapClient {
  readonly session: DapSession;
  readonly pool: SandboxPool;
  /** All that went over the wire, in order. */
  readonly transcript: unknown[] = [];
  readonly events: DapEvent[] = [];
  #seq = 0;
  readonly #waiting = new Map<number, (response: DapResponse) => void>();
  #listeners: ((event: DapEvent) => void)[] = [];

  constructor(cwd: string) {
    this.pool = new SandboxPool({ children: 2, spares: 1 });
    this.session = new DapSession({ sandbox: this.pool, cwd, env: {} });
    this.session.onMessage((message) => this.#take(message));
  }

  #take(message: DapMessage): void {
    this.transcript.push(message);
    if (message.type === 'response') {
      this.#waiting.get(message.request_seq)?.(message);
      return;
    }
    this.events.push(message);
    for (const listener of [...this.#listeners]) listener(message);
  }

  /** Sends a request. @returns its number, and its response */
  send(command: string, args?: unknown): { seq: number; response: Promise<DapResponse> } {
    const seq = ++this.#seq;
    const request = { seq, type: 'request', command, ...(args === undefined ? {} : { arguments: args }) };
    this.transcript.push(request);
    const response = new Promise<DapResponse>((resolve) => this.#waiting.set(seq, resolve));
    this.session.handleMessage(request);
    return { seq, response };
  }

  /** The body of a request that succeeds. @throws Error with the message of one that fails */
  async ask<T = Body>(command: string, args?: unknown): Promise<T> {
    const response = await this.send(command, args).response;
    if (!response.success) throw new Error(`${command}: ${response.message}`);
    return (response.body ?? {}) as T;
  }

  /** The message of a request that fails. */
  async refusal(command: string, args?: unknown): Promise<string> {
    const response = await this.send(command, args).response;
    if (response.success) throw new Error(`${command} succeeded`);
    return response.message ?? '';
  }

  /** The next event of a kind from now on. */
  next(event: string): Promise<Body> {
    return new Promise((resolve) => {
      const listener = (candidate: DapEvent) => {
        if (candidate.event !== event) return;
        this.#listeners = this.#listeners.filter((other) => other !== listener);
        resolve((candidate.body ?? {}) as Body);
      };
      this.#listeners.push(listener);
    });
  }

  /** Begins a session and waits for its first stop. @param configure sets breakpoints */
  async launch(args: Body, configure: () => Promise<unknown> = async () => undefined): Promise<Body> {
    await this.ask('initialize', { adapterID: 'sql-trace', supportsProgressReporting: true });
    const initialized = this.next('initialized');
    await this.ask('launch', args);
    await initialized;
    await configure();
    const stopped = this.#stopOrEnd();
    await this.ask('configurationDone');
    return stopped;
  }

  #stopOrEnd(): Promise<Body> {
    return Promise.race([this.next('stopped'), this.next('terminated').then(() => ({ reason: 'end' }))]);
  }

  /** Makes a move and waits for the stop. */
  async move(command: string, args: Body = { threadId: 1 }): Promise<Body> {
    const stopped = this.#stopOrEnd();
    await this.ask(command, args);
    return stopped;
  }

  async frames(threadId = 1, window: Body = {}): Promise<StackFrame[]> {
    return (await this.ask<{ stackFrames: StackFrame[] }>('stackTrace', { threadId, ...window })).stackFrames;
  }

  /** The name of the clause where a thread stands. */
  async at(threadId = 1): Promise<string> {
    return (await this.frames(threadId))[0]?.name ?? '';
  }

  async scopes(threadId = 1, depth = 0): Promise<Scope[]> {
    const frameId = (await this.frames(threadId))[depth]?.id;
    return (await this.ask<{ scopes: Scope[] }>('scopes', { frameId })).scopes;
  }

  /** The scope whose name begins so. */
  async scope(name: string, threadId = 1): Promise<Scope> {
    const scopes = await this.scopes(threadId);
    const found = scopes.find((scope) => scope.name.startsWith(name));
    if (found === undefined) throw new Error(`no scope ${name} among ${scopes.map((scope) => scope.name).join(', ')}`);
    return found;
  }

  async variables(variablesReference: number, page: Body = {}): Promise<Variable[]> {
    return (await this.ask<{ variables: Variable[] }>('variables', { variablesReference, ...page })).variables;
  }

  /** The values of the rows of a scope. */
  async rows(scope: string, threadId = 1): Promise<string[]> {
    const { variablesReference } = await this.scope(scope, threadId);
    return (await this.variables(variablesReference)).map(({ value }) => value);
  }

  async evaluate(expression: string, context = 'watch'): Promise<string> {
    const frameId = (await this.frames())[0]?.id;
    return (await this.ask<{ result: string }>('evaluate', { expression, frameId, context })).result;
  }

  async close(): Promise<void> {
    this.session.dispose();
    await this.pool.dispose();
  }
}

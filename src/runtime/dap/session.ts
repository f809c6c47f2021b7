import { firstStep } from '../../core/debug/step.ts';
import type { Sandbox } from '../../core/ports.ts';
import {
  CancelArguments,
  type DapMessage,
  DapRequest,
  InitializeArguments,
  LaunchArguments,
  NoArguments,
  RestartArguments,
  ThreadArguments,
} from '../../protocol/dap.ts';
import { toWireError } from '../../protocol/errors.ts';
import type { CatalogCache } from '../catalog.ts';
import { breakpointRequests } from './breakpoint-requests.ts';
import { CAPABILITIES } from './capabilities.ts';
import { type Handler, handler, isCancelled, SessionCore } from './core.ts';
import { unknownRequest } from './errors.ts';
import type { Exception } from './exceptions.ts';
import { launchOfItem } from './launch-item.ts';
import { loadDebuggee } from './load.ts';
import { lookRequests } from './look-requests.ts';
import { moveRequests } from './move-requests.ts';
import { Mover } from './mover.ts';
import { Position } from './session-state.ts';

/** What a session works with. */
export interface SessionParts {
  readonly sandbox: Sandbox;
  readonly catalogs?: CatalogCache;
  /** Folder that relative paths start from. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** What each kind of exception is called. */
const EXCEPTION_NAMES: Record<Exception['filter'], string> = {
  does_not_run: 'The query does not run',
  rows_diverge: 'Rows diverge from gold',
  no_rows: 'Clause yields no rows',
};

/** Requests whose failure is more than a line beside what was asked. */
const SHOWN_TO_USER = new Set(['launch', 'restart', 'goto']);

/**
 * One debug session of SQL, speaking the Debug Adapter Protocol in memory: requests go in by `handleMessage`, responses and
 * events come out to the listeners of `onMessage`.
 */
export class DapSession {
  readonly #parts: SessionParts;
  readonly #listeners = new Set<(message: DapMessage) => void>();
  readonly #core: SessionCore;
  readonly #mover: Mover;
  readonly #handlers: ReadonlyMap<string, Handler>;
  /** Requests that are being answered, by their number. */
  readonly #answering = new Map<number, AbortController>();
  #launch: LaunchArguments = {};
  #lastSeq = 0;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#core = new SessionCore((event, body) => this.#send({ seq: 0, type: 'event', event, body }));
    this.#mover = new Mover(this.#core);
    this.#handlers = new Map(
      Object.entries({
        ...this.#lifeRequests(),
        ...lookRequests(this.#core),
        ...breakpointRequests(this.#core),
        ...moveRequests(this.#core, this.#mover),
      }),
    );
  }

  /** Has a listener told of every message. */
  onMessage(listener: (message: DapMessage) => void): void {
    this.#listeners.add(listener);
  }

  /** Takes a request of the client; what is none is passed over. */
  handleMessage(message: unknown): void {
    const parsed = DapRequest.safeParse(message);
    if (parsed.success) void this.#answer(parsed.data);
  }

  /** Ends every query of the session. */
  dispose(): void {
    this.#mover.abandon();
    for (const controller of this.#answering.values()) controller.abort();
  }

  async #answer({ seq, command, arguments: args }: DapRequest): Promise<void> {
    const controller = new AbortController();
    this.#answering.set(seq, controller);
    const response = { seq: 0, type: 'response' as const, request_seq: seq, command };
    try {
      const answer = this.#handlers.get(command);
      if (answer === undefined) throw unknownRequest(command);
      const body = await answer(args, controller.signal);
      this.#send({ ...response, success: true, ...(body === undefined ? {} : { body }) });
    } catch (error) {
      const { message, code } = toWireError(error);
      const id = 1;
      const failure = {
        id,
        format: message.replaceAll('{', '{{'),
        showUser: SHOWN_TO_USER.has(command) && !isCancelled(error),
      };
      const told = isCancelled(error) ? 'cancelled' : message;
      this.#send({ ...response, success: false, message: told, body: { error: { ...failure, variables: { code } } } });
    } finally {
      this.#answering.delete(seq);
    }
    if (command === 'launch' && this.#core.isLaunched) this.#core.send('initialized', {});
  }

  #send(message: DapMessage): void {
    const numbered = { ...message, seq: ++this.#lastSeq };
    for (const listener of this.#listeners) listener(numbered);
  }

  #lifeRequests(): Record<string, Handler> {
    const core = this.#core;
    return {
      initialize: handler('initialize', InitializeArguments, (args) => {
        core.firstLine = args.linesStartAt1 === false ? 0 : 1;
        core.firstColumn = args.columnsStartAt1 === false ? 0 : 1;
        core.progress.isShown = args.supportsProgressReporting === true;
        return CAPABILITIES;
      }),
      launch: handler('launch', LaunchArguments, async (args, signal) => {
        await this.#load(args, signal);
      }),
      configurationDone: handler('configurationDone', NoArguments, () => this.#begin()),
      restart: handler('restart', RestartArguments, async (args, signal) => {
        this.#mover.abandon();
        await this.#load(args.arguments ?? this.#launch, signal);
        core.breakpoints.again(core.position.debuggee, core.places);
        this.#begin();
      }),
      terminate: handler('terminate', NoArguments, () => {
        this.#mover.abandon();
        core.send('terminated', {});
      }),
      disconnect: handler('disconnect', NoArguments, () => this.#mover.abandon()),
      cancel: handler('cancel', CancelArguments, ({ requestId, progressId }) => {
        if (requestId !== undefined) this.#answering.get(requestId)?.abort();
        if (progressId !== undefined) core.progress.cancel(progressId);
      }),
      exceptionInfo: handler('exceptionInfo', ThreadArguments, () => this.#exceptionInfo()),
    };
  }

  async #load(given: LaunchArguments, signal: AbortSignal): Promise<void> {
    const { sandbox, catalogs, cwd, env } = this.#parts;
    const launch = await launchOfItem(given, cwd, env);
    const { debuggee, notes } = await loadDebuggee({ sandbox, catalogs, cwd }, launch, signal);
    this.#launch = given;
    this.#core.position = new Position(debuggee);
    for (const note of notes) this.#core.tell(note, 'important');
  }

  /** Goes to the first clause, and on to the first breakpoint where the launch asks not to stop at once. */
  #begin(): void {
    const first = firstStep(this.#core.position.debuggee.query.plan);
    this.#mover.begin(1, async (walk, from) => {
      const entry = await walk.land(first ?? from, 'entry');
      if (this.#launch.stopOnEntry !== false || entry.reason !== 'entry') return entry;
      return walk.go('continue');
    });
  }

  #exceptionInfo() {
    const exception = this.#mover.last?.exception ?? null;
    if (exception === null) return { exceptionId: 'none', description: 'Nothing is wrong here.', breakMode: 'never' };
    const { filter, description, details } = exception;
    const text = [description, ...details].join('\n');
    return {
      exceptionId: EXCEPTION_NAMES[filter],
      description: text,
      breakMode: 'always',
      details: { message: text, typeName: filter },
    };
  }
}

import * as z from 'zod/mini';
import type { LinePlace } from '../../core/debug/lines.ts';
import { AppError } from '../../protocol/errors.ts';
import { Breakpoints, type ClientPlaces } from './breakpoints.ts';
import { badArguments, notLaunched } from './errors.ts';
import { Exceptions } from './exceptions.ts';
import { FollowedRows } from './followed-rows.ts';
import { OuterRows } from './outer-rows.ts';
import { Progress, type SendEvent } from './progress.ts';
import type { ScopeParts } from './scopes.ts';
import type { Position } from './session-state.ts';
import { Handles } from './variables.ts';

/** What answers one command: its body. */
export type Handler = (args: unknown, signal: AbortSignal) => unknown;

/** A handler whose arguments are parsed first. @throws AppError `dap_bad_arguments` */
export function handler<Schema extends z.core.$ZodType>(
  command: string,
  schema: Schema,
  answer: (args: z.output<Schema>, signal: AbortSignal) => unknown,
): Handler {
  return (args, signal) => {
    const parsed = z.safeParse(schema, args ?? {});
    if (parsed.success) return answer(parsed.data, signal);
    const [issue] = parsed.error.issues;
    throw badArguments(command, `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim());
  };
}

/** What the parts of a session share. */
export class SessionCore {
  readonly send: SendEvent;
  readonly progress: Progress;
  readonly handles = new Handles();
  readonly outerRows = new OuterRows();
  readonly breakpoints = new Breakpoints();
  readonly exceptions = new Exceptions();
  readonly followed = new FollowedRows();
  /** What the client counts lines and columns from. */
  firstLine = 1;
  firstColumn = 1;
  #position: Position | null = null;

  constructor(send: SendEvent) {
    this.send = send;
    this.progress = new Progress(send);
  }

  readonly places: ClientPlaces = {
    line: (line) => line + 1 - this.firstLine,
    column: (column) => column + 1 - this.firstColumn,
    shown: ({ line, column }: LinePlace) => ({
      line: line - 1 + this.firstLine,
      column: column - 1 + this.firstColumn,
    }),
  };

  get isLaunched(): boolean {
    return this.#position !== null;
  }

  /** @throws AppError `dap_not_launched` */
  get position(): Position {
    if (this.#position === null) throw notLaunched();
    return this.#position;
  }

  set position(position: Position) {
    this.#position = position;
    this.handles.clear();
  }

  get scopeParts(): ScopeParts {
    const { handles, outerRows, followed } = this;
    const { debuggee } = this.position;
    return { debuggee, handles, outerRows, followRow: (step, keys) => followed.know(step, keys) };
  }

  /** Writes a line into the Debug Console. */
  tell(text: string, category: 'console' | 'important' | 'stderr' = 'console', place: object = {}): void {
    this.send('output', { category, output: `${text}\n`, ...place });
  }
}

/** Whether something thrown is that the user stopped it. */
export function isCancelled(error: unknown): boolean {
  return error instanceof AppError && error.code === 'cancelled';
}

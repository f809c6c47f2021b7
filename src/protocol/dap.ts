import * as z from 'zod/mini';

/** The parts of the Debug Adapter Protocol that the debugger speaks (https://microsoft.github.io/debug-adapter-protocol). */

export interface DapEvent {
  seq: number;
  type: 'event';
  event: string;
  body?: unknown;
}

export interface DapResponse {
  seq: number;
  type: 'response';
  request_seq: number;
  success: boolean;
  command: string;
  message?: string;
  body?: unknown;
}

export type DapMessage = DapEvent | DapResponse;

export const DapRequest = z.object({
  seq: z.number(),
  type: z.literal('request'),
  command: z.string(),
  arguments: z.optional(z.unknown()),
});
export type DapRequest = z.infer<typeof DapRequest>;

/** A text that frames and breakpoints lie in: a file, or, by `sourceReference`, a text that the debugger holds. */
export const Source = z.object({
  name: z.optional(z.string()),
  path: z.optional(z.string()),
  sourceReference: z.optional(z.number()),
});
export type Source = z.infer<typeof Source>;

export const InitializeArguments = z.object({
  linesStartAt1: z.optional(z.boolean()),
  columnsStartAt1: z.optional(z.boolean()),
  supportsProgressReporting: z.optional(z.boolean()),
  supportsVariablePaging: z.optional(z.boolean()),
});

/** What is debugged. One of `program` (a file) and `sql`, or an item of a run. */
export const LaunchArguments = z.object({
  /** Absolute path of a .sql file. */
  program: z.optional(z.string()),
  sql: z.optional(z.string()),
  /** Line (from 1) of `program` in which the query stands, where the file holds several. */
  line: z.optional(z.number()),
  /** Path of the SQLite file. */
  database: z.optional(z.string()),
  /** SQL text of the gold, or path of a .sql file. */
  gold: z.optional(z.string()),
  /** Id of a run (or a part of it that names only one), with `item`. */
  run: z.optional(z.string()),
  item: z.optional(z.string()),
  /** Folder of the ledger, for `run`. */
  results: z.optional(z.string()),
  stopOnEntry: z.optional(z.boolean()),
  /** Limit of one query in milliseconds. */
  timeoutMs: z.optional(z.number()),
});
export type LaunchArguments = z.infer<typeof LaunchArguments>;

export const RestartArguments = z.object({ arguments: z.optional(LaunchArguments) });

export const SourceBreakpoint = z.object({
  line: z.number(),
  column: z.optional(z.number()),
  condition: z.optional(z.string()),
  hitCondition: z.optional(z.string()),
  logMessage: z.optional(z.string()),
});
export type SourceBreakpoint = z.infer<typeof SourceBreakpoint>;

export const SetBreakpointsArguments = z.object({
  source: Source,
  breakpoints: z.optional(z.array(SourceBreakpoint)),
});

export const BreakpointLocationsArguments = z.object({
  source: Source,
  line: z.number(),
  endLine: z.optional(z.number()),
});

const FilterOption = z.object({ filterId: z.string(), condition: z.optional(z.string()) });

export const SetExceptionBreakpointsArguments = z.object({
  filters: z.array(z.string()),
  filterOptions: z.optional(z.array(FilterOption)),
});

export const DataBreakpointInfoArguments = z.object({
  variablesReference: z.optional(z.number()),
  name: z.string(),
});

export const SetDataBreakpointsArguments = z.object({
  breakpoints: z.array(
    z.object({ dataId: z.string(), condition: z.optional(z.string()), hitCondition: z.optional(z.string()) }),
  ),
});

export const StackTraceArguments = z.object({
  threadId: z.number(),
  startFrame: z.optional(z.number()),
  levels: z.optional(z.number()),
});

export const ThreadArguments = z.object({ threadId: z.number() });
export const StepInArguments = z.object({ threadId: z.number(), targetId: z.optional(z.number()) });
export const FrameArguments = z.object({ frameId: z.number() });

export const VariablesArguments = z.object({
  variablesReference: z.number(),
  filter: z.optional(z.enum(['indexed', 'named'])),
  start: z.optional(z.number()),
  count: z.optional(z.number()),
});

export const EvaluateArguments = z.object({
  expression: z.string(),
  frameId: z.optional(z.number()),
  context: z.optional(z.string()),
});

export const CompletionsArguments = z.object({
  text: z.string(),
  column: z.number(),
  line: z.optional(z.number()),
  frameId: z.optional(z.number()),
});

export const GotoTargetsArguments = z.object({ source: Source, line: z.number(), column: z.optional(z.number()) });
export const GotoArguments = z.object({ threadId: z.number(), targetId: z.number() });
export const SourceArguments = z.object({ source: z.optional(Source), sourceReference: z.number() });
export const CancelArguments = z.object({ requestId: z.optional(z.number()), progressId: z.optional(z.string()) });
export const NoArguments = z.optional(z.unknown());

export interface Variable {
  name: string;
  value: string;
  type?: string;
  /** 0: it has no children. */
  variablesReference: number;
  namedVariables?: number;
  indexedVariables?: number;
  presentationHint?: { kind?: string; attributes?: string[] };
}

export interface Scope {
  name: string;
  variablesReference: number;
  namedVariables?: number;
  indexedVariables?: number;
  /** It is read only when somebody opens it. */
  expensive: boolean;
}

export interface StackFrame {
  id: number;
  name: string;
  source?: Source;
  line: number;
  column: number;
  endLine?: number;
  endColumn?: number;
  presentationHint?: 'normal' | 'subtle';
}

/** A breakpoint as it was understood. */
export interface Breakpoint {
  id: number;
  verified: boolean;
  message?: string;
  source?: Source;
  line?: number;
  column?: number;
  endLine?: number;
  endColumn?: number;
}

/** The body of our own request `sqlTrace/rowCounts`: what is written at the ends of clauses. Places from 1. */
export interface RowCounts {
  counts: { line: number; column: number; text: string }[];
}

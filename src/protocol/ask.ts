import * as z from 'zod/mini';
import { Linked } from './catalog.ts';
import { WireError } from './errors.ts';
import { Position, QueryStatus } from './query.ts';
import { JsonCell } from './value.ts';

/** `turns`: the agent loop. `one_shot`: prompt, query, and retries at a temperature. A provider declares which. */
export const Protocol = z.enum(['turns', 'one_shot']);
export type Protocol = z.infer<typeof Protocol>;

export const StopReason = z.enum(['final', 'budget', 'no_sql', 'provider_error', 'cancelled']);
export type StopReason = z.infer<typeof StopReason>;

/** Number of rows that a correct answer should have. */
export const ExpectedRows = z.union([
  z.object({ kind: z.literal('one') }),
  z.object({ kind: z.literal('at_most'), n: z.number() }),
  z.object({ kind: z.literal('exactly'), n: z.number() }),
  z.object({ kind: z.literal('one_per'), of: z.string() }),
  z.object({ kind: z.literal('any') }),
]);
export type ExpectedRows = z.infer<typeof ExpectedRows>;

/** `count` is a whole number; `any` fits everything. */
export const ShapeKind = z.enum(['count', 'number', 'text', 'date', 'boolean', 'any']);
export type ShapeKind = z.infer<typeof ShapeKind>;

/** The shape that an answer should have: said by the model, or by a rule over the question. */
export const ExpectedShape = z.object({
  source: z.enum(['model', 'rule']),
  rows: ExpectedRows,
  /** null: nothing is said about columns. */
  columns: z.nullable(z.array(z.object({ name: z.nullable(z.string()), kind: ShapeKind }))),
});
export type ExpectedShape = z.infer<typeof ExpectedShape>;

/** The shape that an answer has. `rows` is a lower bound where the result was truncated. */
export const ActualShape = z.object({
  rows: z.number(),
  truncated: z.boolean(),
  columns: z.array(z.object({ name: z.string(), kind: ShapeKind })),
});
export type ActualShape = z.infer<typeof ActualShape>;

/** Duplicated rows of a result: `rows` of `total` are equal to an earlier row. */
export const Duplicates = z.object({ rows: z.number(), total: z.number() });
export type Duplicates = z.infer<typeof Duplicates>;

export const Signals = z.object({
  /** null when no row stands twice. */
  duplicates: z.nullable(Duplicates),
  expected: z.nullable(ExpectedShape),
  actual: z.nullable(ActualShape),
  /** null when nothing was expected or nothing came back. */
  agrees: z.nullable(z.boolean()),
  /** Where they differ, a sentence each. */
  differences: z.array(z.string()),
});
export type Signals = z.infer<typeof Signals>;

export const TurnAction = z.enum(['inspect', 'add_table', 'query', 'final', 'invalid']);
export type TurnAction = z.infer<typeof TurnAction>;

/** One message of the model and what it got back. */
export const Turn = z.object({
  /** From 1. */
  index: z.number(),
  action: TurnAction,
  /** The model's message, clipped to 8,000 characters. */
  reply: z.string(),
  sql: z.nullable(z.string()),
  /** Tables that the turn inspected or asked for. */
  tables: z.array(z.string()),
  /** What the model was told in return; '' where the loop ended. */
  observation: z.string(),
  status: z.nullable(QueryStatus),
  error: z.nullable(z.object({ code: z.string(), message: z.string(), position: z.nullable(Position) })),
  rows: z.nullable(z.number()),
  sample: z.nullable(z.object({ seed: z.number(), temperature: z.number() })),
  /** The model was shown the error of its first query. */
  repairs: z.optional(z.boolean()),
  promptTokens: z.nullable(z.number()),
  completionTokens: z.nullable(z.number()),
  ms: z.number(),
});
export type Turn = z.infer<typeof Turn>;

/** A group of candidates with one result set. */
export const VoteGroup = z.object({
  sql: z.string(),
  votes: z.number(),
  /** Indexes of the samples, from 0. */
  samples: z.array(z.number()),
  status: QueryStatus,
  rows: z.number(),
});
export type VoteGroup = z.infer<typeof VoteGroup>;

/** Which model answered, and how good it is. */
export const ModelInfo = z.object({
  provider: z.enum(['local', 'openai', 'scripted']),
  name: z.string(),
  /** A sentence on its measured accuracy; null where it was never measured. */
  accuracy: z.nullable(z.string()),
});
export type ModelInfo = z.infer<typeof ModelInfo>;

/** What `ask` answers: printed by the command line, shown by the panel, recorded in a transcript. */
export const AskResult = z.object({
  question: z.string(),
  evidence: z.string(),
  sql: z.nullable(z.string()),
  /** Status of the final query; `error` with code `no_sql` or the provider's where there is none. */
  status: QueryStatus,
  code: z.nullable(z.string()),
  message: z.nullable(z.string()),
  position: z.nullable(Position),
  columns: z.array(z.string()),
  rows: z.array(z.array(JsonCell)),
  truncated: z.boolean(),
  protocol: Protocol,
  turns: z.array(Turn),
  linked: Linked,
  signals: Signals,
  /** Only where more than one sample was asked for; the winner first. */
  vote: z.nullable(z.array(VoteGroup)),
  model: ModelInfo,
  stop: StopReason,
  /** Things the user should know: columns not searched, snapshot used … */
  notes: z.array(z.string()),
  ms: z.number(),
});
export type AskResult = z.infer<typeof AskResult>;

/** What a run of the agent tells while it works, in order; the last one is `result`. */
export const AskEvent = z.union([
  z.object({
    type: z.literal('phase'),
    phase: z.enum(['schema', 'values', 'loading', 'prompting', 'generating', 'querying']),
    detail: z.nullable(z.string()),
  }),
  z.object({ type: z.literal('linked'), linked: Linked }),
  z.object({ type: z.literal('token'), turn: z.number(), text: z.string() }),
  z.object({ type: z.literal('turn'), turn: Turn }),
  z.object({ type: z.literal('note'), text: z.string() }),
  z.object({ type: z.literal('result'), result: AskResult }),
  z.object({ type: z.literal('failed'), error: WireError }),
]);
export type AskEvent = z.infer<typeof AskEvent>;

/** A follow-up takes the last answer along. */
export const Previous = z.object({ question: z.string(), sql: z.string() });
export type Previous = z.infer<typeof Previous>;

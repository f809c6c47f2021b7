import * as z from 'zod/mini';
import { AskResult, ModelInfo, Previous, Turn } from './ask.ts';
import { Linked } from './catalog.ts';
import type { Channel } from './channel.ts';
import { WireError } from './errors.ts';
import { GridColumn, Page, RequestNumber, RowRange } from './grid.ts';
import { Position, QueryStatus } from './query.ts';
import { JsonCell } from './value.ts';

/** A result that lies in the extension host: the grid asks for its rows page by page. */
export const ResultTable = z.object({
  id: z.string(),
  columns: z.array(GridColumn),
  /** Rows that can be asked for. */
  rows: z.int(),
  /** The query has more rows than were kept. */
  truncated: z.boolean(),
});
export type ResultTable = z.infer<typeof ResultTable>;

/** What a query ended with, its rows left out. */
export const QueryOutcome = z.object({
  status: QueryStatus,
  code: z.nullable(z.string()),
  message: z.nullable(z.string()),
  position: z.nullable(Position),
  /** null where the query gave no rows at all (it failed). */
  table: z.nullable(ResultTable),
  /** Time of the query; null where it was not told. */
  ms: z.nullable(z.number()),
});
export type QueryOutcome = z.infer<typeof QueryOutcome>;

/** The answer of the agent. */
export const Answer = z.extend(
  z.pick(AskResult, { sql: true, protocol: true, signals: true, vote: true, model: true, stop: true }),
  {
    outcome: QueryOutcome,
    /** The shape that was expected and the one that came, in words; null where unknown. */
    words: z.object({ expected: z.nullable(z.string()), actual: z.nullable(z.string()) }),
  },
);
export type Answer = z.infer<typeof Answer>;

/** What the agent does at the moment. */
export const Phase = z.object({
  name: z.enum(['starting', 'schema', 'values', 'loading', 'prompting', 'generating', 'querying']),
  detail: z.nullable(z.string()),
  /** Since the phase began, when this was sent. */
  elapsedMs: z.number(),
});
export type Phase = z.infer<typeof Phase>;

/** One question with all that came of it. */
export const RunView = z.object({
  /** From 1; grows with each question of a panel. */
  id: z.int(),
  question: z.string(),
  evidence: z.string(),
  previous: z.nullable(Previous),
  /** `stopped`: by the user; `interrupted`: the window was reloaded meanwhile. */
  status: z.enum(['running', 'stopping', 'done', 'stopped', 'failed', 'interrupted']),
  /** null where nothing is being done. */
  phase: z.nullable(Phase),
  /** Since the question was asked, or the whole time of a run that ended. */
  elapsedMs: z.number(),
  linked: z.nullable(Linked),
  turns: z.array(Turn),
  /** The reply that is being written. */
  live: z.nullable(z.object({ turn: z.int(), text: z.string() })),
  notes: z.array(z.string()),
  answer: z.nullable(Answer),
  error: z.nullable(WireError),
});
export type RunView = z.infer<typeof RunView>;

/** The user's own version of the SQL, and what it gave. */
export const EditedView = z.object({
  sql: z.string(),
  /** null while it runs. */
  outcome: z.nullable(QueryOutcome),
  notes: z.array(z.string()),
  /** Where it could not be run at all. */
  error: z.nullable(WireError),
});
export type EditedView = z.infer<typeof EditedView>;

/** A question asked before. */
export const HistoryItem = z.object({
  question: z.string(),
  evidence: z.string(),
  /** When it was asked last, in milliseconds since 1970. */
  at: z.number(),
  sql: z.nullable(z.string()),
  /** null where it ended without a query that ran. */
  rows: z.nullable(z.number()),
});
export type HistoryItem = z.infer<typeof HistoryItem>;

/** All that the panel shows, but for rows. */
export const AskPanelState = z.object({
  /** Names the panel in the storage folder; survives a reload of the window. */
  panel: z.string(),
  database: z.object({ name: z.string(), folder: z.string(), path: z.string() }),
  trusted: z.boolean(),
  /** The model that would answer now; null while it is looked up. */
  model: z.nullable(ModelInfo),
  /** Why no model can answer. */
  modelProblem: z.nullable(WireError),
  /** Samples of a question where the user says nothing else. */
  samples: z.int(),
  run: z.nullable(RunView),
  edited: z.nullable(EditedView),
  /** Newest first. */
  history: z.array(HistoryItem),
});
export type AskPanelState = z.infer<typeof AskPanelState>;

/** What the view keeps with VS Code, so that its panel is found again after a reload of the window. */
export const AskPanelMemory = z.object({
  panel: z.string().check(z.regex(/^[\w-]{1,64}$/)),
  database: z.string(),
});
export type AskPanelMemory = z.infer<typeof AskPanelMemory>;

export const TableFormat = z.enum(['csv', 'tsv', 'json']);
export type TableFormat = z.infer<typeof TableFormat>;

/** Most samples of one question. */
export const MAX_SAMPLES = 32;

/** What the ask panel asks for and does. */
export const AskUp = z.discriminatedUnion('type', [
  /** The view listens: whatever was posted before is delivered, the state first. */
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({
    type: z.literal('ask'),
    question: z.string().check(z.minLength(1), z.maxLength(20_000)),
    evidence: z.string().check(z.maxLength(20_000)),
    previous: z.nullable(Previous),
    samples: z.int().check(z.gte(1), z.lte(MAX_SAMPLES)),
  }),
  z.strictObject({ type: z.literal('stop') }),
  z.strictObject({ type: z.literal('again') }),
  z.strictObject({ type: z.literal('runSql'), sql: z.string() }),
  z.strictObject({ type: z.literal('stopSql') }),
  z.strictObject({ type: z.literal('discardSql') }),
  z.strictObject({ type: z.literal('openSql'), sql: z.string() }),
  /** Looks for what is suspicious in a query, and compares it with a right one. */
  z.strictObject({ type: z.literal('checkSql'), sql: z.string() }),
  /** Keeps the question with a query that ran as a test: that of the answer, or the user's own version. */
  z.strictObject({ type: z.literal('saveTest'), which: z.enum(['answer', 'edited']) }),
  z.strictObject({ type: z.literal('copyText'), text: z.string() }),
  z.strictObject({ type: z.literal('copyTable'), table: z.string(), format: TableFormat }),
  z.strictObject({ type: z.literal('page'), request: RequestNumber, table: z.string(), ...RowRange }),
  /** The whole of a cell that was cut in its page. */
  z.strictObject({
    type: z.literal('cell'),
    request: RequestNumber,
    table: z.string(),
    row: z.int().check(z.nonnegative()),
    column: z.int().check(z.nonnegative()),
  }),
  z.strictObject({ type: z.literal('forget'), at: z.number() }),
  z.strictObject({ type: z.literal('openDatabase') }),
  z.strictObject({ type: z.literal('chooseModel') }),
  z.strictObject({ type: z.literal('manageTrust') }),
  z.strictObject({ type: z.literal('showLog') }),
]);
export type AskUp = z.infer<typeof AskUp>;

/** What the ask panel is told. */
export const AskDown = z.discriminatedUnion('type', [
  z.object({ type: z.literal('state'), state: AskPanelState }),
  /** More text of the reply that is being written. */
  z.object({ type: z.literal('token'), run: z.int(), turn: z.int(), text: z.string() }),
  z.object({ type: z.literal('page'), request: RequestNumber, page: Page }),
  z.object({ type: z.literal('cell'), request: RequestNumber, cell: JsonCell }),
  /** The request ended without what it asked for. */
  z.object({ type: z.literal('failed'), request: RequestNumber, error: WireError }),
  /** Puts a question into the boxes and the cursor behind it. */
  z.object({ type: z.literal('compose'), question: z.string(), evidence: z.string() }),
  /** Something was done that has no other sign: said to the user. */
  z.object({ type: z.literal('done'), text: z.string() }),
]);
export type AskDown = z.infer<typeof AskDown>;

export const askChannel: Channel<AskUp, AskDown> = { name: 'ask panel', up: AskUp, down: AskDown };

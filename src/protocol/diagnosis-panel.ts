import * as z from 'zod/mini';
import type { Channel } from './channel.ts';
import { DiagnosisDown, DiagnosisUp } from './diagnosis-view.ts';
import { WireError } from './errors.ts';
import { ResultSide, SideDifference, SideDown, SideUp } from './result-side.ts';

/** Longest query that is looked into, in UTF-16 units. */
const Sql = z.string().check(z.maxLength(200_000));

/** What the panel of two queries shows, but for rows and what the user types. */
export const DiagnosisPanelState = z.object({
  database: z.object({ name: z.string(), path: z.string() }),
  /** The queries that were run last; null while they run and before. */
  pred: z.nullable(ResultSide),
  gold: z.nullable(ResultSide),
  difference: z.nullable(SideDifference),
  /** Why they could not be run at all. */
  problem: z.nullable(WireError),
});
export type DiagnosisPanelState = z.infer<typeof DiagnosisPanelState>;

/** What the view keeps with VS Code, so that its panel is found again after a reload of the window. */
export const DiagnosisPanelMemory = z.object({
  database: z.string(),
  pred: z.string(),
  /** '' where there is none. */
  gold: z.string(),
  /** Whether the queries had been looked into. */
  checked: z.boolean(),
});
export type DiagnosisPanelMemory = z.infer<typeof DiagnosisPanelMemory>;

/** What the panel asks for and does. */
export const DiagnosisPanelUp = z.discriminatedUnion('type', [
  /** The view listens: whatever was posted before is delivered, the state first. */
  z.strictObject({ type: z.literal('ready') }),
  ...SideUp,
  ...DiagnosisUp,
  /** Looks into a query; beside another one, which is right, where `gold` is not null. */
  z.strictObject({ type: z.literal('check'), pred: Sql, gold: z.nullable(Sql) }),
  z.strictObject({ type: z.literal('openDatabase') }),
]);
export type DiagnosisPanelUp = z.infer<typeof DiagnosisPanelUp>;

/** What it is told. */
export const DiagnosisPanelDown = z.discriminatedUnion('type', [
  z.object({ type: z.literal('state'), state: DiagnosisPanelState }),
  /** Puts queries into the boxes. */
  z.object({ type: z.literal('fill'), pred: z.string(), gold: z.string() }),
  ...SideDown,
  ...DiagnosisDown,
]);
export type DiagnosisPanelDown = z.infer<typeof DiagnosisPanelDown>;

export const diagnosisChannel: Channel<DiagnosisPanelUp, DiagnosisPanelDown> = {
  name: 'diagnosis panel',
  up: DiagnosisPanelUp,
  down: DiagnosisPanelDown,
};

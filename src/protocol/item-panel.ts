import * as z from 'zod/mini';
import type { Channel } from './channel.ts';
import { DiagnosisDown, DiagnosisUp } from './diagnosis-view.ts';
import { WireError } from './errors.ts';
import { ItemRecord } from './eval.ts';
import { RunConfig } from './ledger.ts';
import { ResultSide, SideDifference, SideDown, SideUp } from './result-side.ts';

/** The items of the same outcome around one of them. */
export const ItemPlace = z.object({
  /** From 1. */
  position: z.int(),
  of: z.int(),
  previous: z.nullable(z.string()),
  next: z.nullable(z.string()),
});
export type ItemPlace = z.infer<typeof ItemPlace>;

/** All that the panel of one item shows, but for rows. */
export const ItemPanelState = z.object({
  run: z.extend(z.pick(RunConfig, { metric: true, protocol: true }), {
    id: z.string(),
    model: z.string(),
    dataset: z.string(),
    split: z.nullable(z.string()),
  }),
  record: z.omit(ItemRecord, { diff: true }),
  /** The shape that was expected and the one that came, in words; null where unknown. */
  words: z.object({ expected: z.nullable(z.string()), actual: z.nullable(z.string()) }),
  place: ItemPlace,
  /** null where it was not found: `problem` says so. */
  database: z.nullable(z.object({ name: z.string(), path: z.string() })),
  /** Why the queries cannot be run here. */
  problem: z.nullable(WireError),
  gold: ResultSide,
  pred: ResultSide,
  /** null while the queries run, and where there is nothing to compare. */
  difference: z.nullable(SideDifference),
});
export type ItemPanelState = z.infer<typeof ItemPanelState>;

/** What the view keeps with VS Code, so that its panel is found again after a reload of the window. */
export const ItemPanelMemory = z.object({ run: z.string(), item: z.string() });
export type ItemPanelMemory = z.infer<typeof ItemPanelMemory>;

/** What the item panel asks for and does. */
export const ItemUp = z.discriminatedUnion('type', [
  /** The view listens: whatever was posted before is delivered, the state first. */
  z.strictObject({ type: z.literal('ready') }),
  ...SideUp,
  ...DiagnosisUp,
  /** Shows another item of the run. */
  z.strictObject({ type: z.literal('go'), item: z.string() }),
  z.strictObject({ type: z.literal('askAgain') }),
  z.strictObject({ type: z.literal('openDatabase') }),
]);
export type ItemUp = z.infer<typeof ItemUp>;

/** What the item panel is told. */
export const ItemDown = z.discriminatedUnion('type', [
  z.object({ type: z.literal('state'), state: ItemPanelState }),
  ...SideDown,
  ...DiagnosisDown,
]);
export type ItemDown = z.infer<typeof ItemDown>;

export const itemChannel: Channel<ItemUp, ItemDown> = { name: 'item panel', up: ItemUp, down: ItemDown };

import * as z from 'zod/mini';
import type { Channel } from './channel.ts';
import { Comparison } from './compare.ts';
import { WireError } from './errors.ts';
import { ResultSide, SideDifference, SideDown, SideUp } from './result-side.ts';

/** One flip, opened: what each run answered and the gold, with their rows. */
export const FlipDetail = z.object({
  id: z.string(),
  database: z.nullable(z.object({ name: z.string(), path: z.string() })),
  /** Why the queries cannot be run here. */
  problem: z.nullable(WireError),
  a: ResultSide,
  b: ResultSide,
  gold: ResultSide,
  /** How the wrong one of both differs from the gold; null while the queries run, and where there is nothing to compare. */
  difference: z.nullable(SideDifference),
});
export type FlipDetail = z.infer<typeof FlipDetail>;

/** What the view keeps with VS Code, so that its panel is found again after a reload of the window. */
export const ComparePanelMemory = z.object({ a: z.string(), b: z.string() });
export type ComparePanelMemory = z.infer<typeof ComparePanelMemory>;

/** What the compare view asks for and does. */
export const CompareUp = z.discriminatedUnion('type', [
  /** The view listens: whatever was posted before is delivered, the state first. */
  z.strictObject({ type: z.literal('ready') }),
  ...SideUp,
  z.strictObject({ type: z.literal('flip'), item: z.string() }),
  z.strictObject({ type: z.literal('openItem'), run: z.enum(['a', 'b']), item: z.string() }),
  /** Shows the comparison the other way round. */
  z.strictObject({ type: z.literal('swap') }),
  /** Copies the comparison as Markdown. */
  z.strictObject({ type: z.literal('copyMarkdown') }),
]);
export type CompareUp = z.infer<typeof CompareUp>;

/** What the compare view is told. */
export const CompareDown = z.discriminatedUnion('type', [
  z.object({ type: z.literal('comparison'), comparison: Comparison }),
  z.object({ type: z.literal('flip'), flip: FlipDetail }),
  ...SideDown,
]);
export type CompareDown = z.infer<typeof CompareDown>;

export const compareChannel: Channel<CompareUp, CompareDown> = {
  name: 'compare view',
  up: CompareUp,
  down: CompareDown,
};

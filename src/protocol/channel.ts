import type * as z from 'zod/mini';

/**
 * One boundary between two sides, as a value: what goes up to the extension host and what comes down from it. Each side
 * parses what it receives and trusts it afterwards.
 */
export interface Channel<Up, Down> {
  /** Names the boundary in the log. */
  readonly name: string;
  readonly up: z.ZodMiniType<Up>;
  readonly down: z.ZodMiniType<Down>;
}

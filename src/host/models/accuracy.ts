import type { Ctx } from '../ctx.ts';
import { evaluationsByAdapter } from './adapter-evaluations.ts';

/** What the last evaluation of an adapter found, a sentence; null: it was never evaluated in this window's folders. */
export async function adapterAccuracy(ctx: Ctx, path: string): Promise<string | null> {
  const found = await (await evaluationsByAdapter(ctx))(path);
  return found === null ? null : `Last evaluation of this adapter: ${found}.`;
}

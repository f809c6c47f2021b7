import { countOf } from '../../core/signals/describe.ts';
import { LOCAL_MODELS, readModelEntry } from '../../runtime/model/manifest.ts';
import { sha256OfFile } from '../../runtime/model/verified.ts';
import type { Ctx } from '../ctx.ts';
import type { RunEntry } from '../runs/entry.ts';
import { shareInShort } from '../runs/look.ts';

/** `EX 62.4 % (58.1 to 66.5) on shop.sql-tests.jsonl, 120 items` */
export function evaluationInWords({ share, config, done }: Pick<RunEntry, 'share' | 'config' | 'done'>): string {
  return `EX ${shareInShort(share)} on ${config.dataset.name}, ${countOf(done, 'item')}`;
}

/** The last finished evaluation of each adapter, by its SHA-256, in words. Those that models come with are no user's. */
export function lastEvaluations(
  runs: readonly Pick<RunEntry, 'state' | 'started' | 'share' | 'config' | 'done'>[],
  bundled: readonly string[],
): Map<string, string> {
  const found = new Map<string, string>();
  for (const run of runs.toSorted((one, other) => one.started.localeCompare(other.started))) {
    const { adapter } = run.config.model;
    if (adapter === null || bundled.includes(adapter) || run.state !== 'done' || !run.share?.of) continue;
    found.set(adapter, evaluationInWords(run));
  }
  return found;
}

/** Says of an adapter's file what its last evaluation in the ledgers of this window found; null: there is none. */
export async function evaluationsByAdapter(ctx: Ctx): Promise<(path: string) => Promise<string | null>> {
  const { runs } = await (await ctx.runs()).store.list();
  const bundled = LOCAL_MODELS.map((name) => readModelEntry(name).adapter.sha256);
  const found = lastEvaluations(runs, bundled);
  // Hashing takes a moment a file: only where some hash is known.
  if (found.size === 0) return async () => null;
  return async (path) => found.get(await sha256OfFile(ctx.storage, path)) ?? null;
}

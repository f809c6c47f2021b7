import type { RunEntry } from './entry.ts';

/** The runs of one dataset, and of one split of it. */
export interface RunGroup {
  /** Tells groups apart. */
  key: string;
  dataset: string;
  split: string | null;
  /** Newest first. */
  runs: RunEntry[];
}

function keyOf({ config }: RunEntry): string {
  return [config.dataset.name, config.dataset.hash, config.split?.name ?? '', config.split?.hash ?? ''].join('\n');
}

const byStart = (a: RunEntry, b: RunEntry) => b.started.localeCompare(a.started) || b.id.localeCompare(a.id);

/** Runs by dataset and split; the group that was run last first. */
export function groupRuns(entries: readonly RunEntry[]): RunGroup[] {
  const groups = new Map<string, RunGroup>();
  for (const run of entries.toSorted(byStart)) {
    const key = keyOf(run);
    const group = groups.get(key) ?? {
      key,
      dataset: run.config.dataset.name,
      split: run.config.split?.name ?? null,
      runs: [],
    };
    group.runs.push(run);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Runs that a sparkline shows. */
const SHOWN = 12;

/**
 * The headline shares of the runs of a group up to `run`, oldest first: those over the same items by the same metric, for
 * others cannot be compared. At most twelve.
 */
export function historyOf(run: RunEntry, { runs }: RunGroup): number[] {
  const at = runs.findIndex(({ id }) => id === run.id);
  return runs
    .slice(Math.max(0, at))
    .filter(({ config }) => config.items.hash === run.config.items.hash && config.metric === run.config.metric)
    .flatMap(({ share }) => (share === null || share.of === 0 ? [] : [share.right / share.of]))
    .slice(0, SHOWN)
    .reverse();
}

/** Every run over what a run was over, other than itself: what it can be compared with. */
export function comparableWith(run: RunEntry, entries: readonly RunEntry[]): RunEntry[] {
  return entries
    .filter(({ id, config, done }) => id !== run.id && done > 0 && config.dataset.hash === run.config.dataset.hash)
    .toSorted(byStart);
}

import type { Item, Split, SplitFile } from '../../protocol/dataset.ts';
import type { LedgerEntry } from '../../protocol/ledger.ts';
import type { Dataset } from './load-dataset.ts';
import {
  everyOrLimit,
  idSealed,
  idsElsewhere,
  idsUnknown,
  noSplits,
  reasonMissing,
  splitSealed,
  splitsStale,
  splitUnknown,
} from './split-errors.ts';
import { fits, readSplitFile, splitsPath } from './splits.ts';

/** Which items of a dataset are wanted. They are taken in this order: split, ids, every, limit. */
export interface Choice {
  /** Name of a split; null: the whole dataset but its sealed splits. */
  split: string | null;
  /** Why sealed splits are opened; null: they are not. */
  openSealed: string | null;
  /** At most so many, from the first. */
  limit: number | null;
  /** Every so-manieth, from the first. */
  every: number | null;
  ids: readonly string[] | null;
}

/** The chosen items, in the order of the dataset. */
export interface ChosenItems {
  items: Item[];
  /** The split that was named. */
  split: { name: string; hash: string } | null;
  /** What the user should know, a sentence each. */
  notes: string[];
}

/** Where the opening of a sealed split is recorded. */
export interface OpeningLedger {
  append(entry: LedgerEntry): Promise<unknown>;
}

/**
 * The items of a dataset that a verb may read. Those of sealed splits are left out, with a note, unless a reason is
 * given; each sealed split of which an item is handed out is then first recorded in the ledger.
 * @param command the words of the command, for the ledger
 * @throws AppError for an unknown split, a sealed one without a reason, unknown ids, splits of another dataset
 */
export async function chooseItems(
  dataset: Dataset,
  choice: Choice,
  ledger: OpeningLedger,
  command: string[],
): Promise<ChosenItems> {
  checkNumbers(choice);
  const isOpen = choice.openSealed !== null;
  const reason = choice.openSealed?.trim() ?? '';
  if (isOpen && reason === '') throw reasonMissing();
  const notes: string[] = [];
  const splits = await splitsOf(dataset, choice.split !== null, notes);
  const split = choice.split === null ? null : named(splits, choice.split, dataset);
  if (split?.sealed && !isOpen) throw splitSealed(split.name);

  const sealedIds = new Map(splits.flatMap((each) => (each.sealed ? each.ids.map((id) => [id, each] as const) : [])));
  const offered = split === null ? dataset.items : itemsOf(dataset, split);
  const readable = isOpen ? offered : offered.filter(({ id }) => !sealedIds.has(id));
  const wanted = choice.ids === null ? readable : byIds(dataset, { ids: choice.ids, split, readable, sealedIds });
  if (choice.ids === null && readable.length < offered.length)
    notes.push(leftOut(offered.length - readable.length, splits));
  const items = thinned(wanted, choice);

  const opened = new Set(items.flatMap(({ id }) => sealedIds.get(id) ?? []));
  for (const { name, hash } of opened)
    await ledger.append({
      kind: 'open_sealed',
      dataset: { name: dataset.name, hash: dataset.hash },
      split: { name, hash },
      reason,
      command,
    });
  if (isOpen && opened.size === 0) notes.push('No item of a sealed split is among the chosen: nothing was opened.');
  return { items, split: split && { name: split.name, hash: split.hash }, notes };
}

/**
 * The items of a dataset that are in no sealed split, for whoever only shows them; a note says how many are left out.
 * @throws AppError where a sealed split was made of another state of the dataset
 */
export async function unsealedItems(dataset: Dataset): Promise<{ items: Item[]; notes: string[] }> {
  const all: Choice = { split: null, openSealed: null, limit: null, every: null, ids: null };
  const { items, notes } = await chooseItems(dataset, all, { append: () => Promise.reject(new Error('sealed')) }, []);
  return { items, notes };
}

function checkNumbers({ every, limit }: Choice): void {
  for (const [name, value] of Object.entries({ every, limit }))
    if (value !== null && !(Number.isSafeInteger(value) && value >= 1)) throw everyOrLimit(name, value);
}

/** The splits that hold for a dataset. @param isNeeded a split was named @param notes gets what is told of unused ones */
async function splitsOf(dataset: Dataset, isNeeded: boolean, notes: string[]): Promise<readonly Split[]> {
  const path = splitsPath(dataset.path);
  const file = await readSplitFile(path);
  if (file === null) return [];
  if (fits(file, dataset)) return file.splits;
  const sealed = sealedNames(file);
  const madeFor = file.dataset.name === dataset.name ? null : file.dataset.name;
  if (isNeeded || sealed.length > 0) throw splitsStale(path, dataset.path, sealed, madeFor);
  notes.push(`The splits in ${path} were made of another state of the dataset and are not used.`);
  return [];
}

function named(splits: readonly Split[], name: string, dataset: Dataset): Split {
  const split = splits.find((candidate) => candidate.name === name);
  if (split) return split;
  if (splits.length === 0) throw noSplits(dataset.path, name);
  const names = splits.map((candidate) => candidate.name);
  throw splitUnknown(splitsPath(dataset.path), name, names);
}

function sealedNames({ splits }: SplitFile): string[] {
  return splits.filter(({ sealed }) => sealed).map(({ name }) => name);
}

function itemsOf(dataset: Dataset, split: Split): Item[] {
  const ids = new Set(split.ids);
  return dataset.items.filter(({ id }) => ids.has(id));
}

interface Asked {
  ids: readonly string[];
  split: Split | null;
  readable: readonly Item[];
  sealedIds: ReadonlyMap<string, Split>;
}

const NAMED_IDS = 5;

function byIds(dataset: Dataset, { ids, split, readable, sealedIds }: Asked): Item[] {
  const wanted = new Set(ids);
  const chosen = readable.filter(({ id }) => wanted.has(id));
  if (chosen.length === wanted.size) return chosen;
  const all = new Set(dataset.items.map(({ id }) => id));
  const unknown = [...wanted].filter((id) => !all.has(id));
  if (unknown.length > 0) throw idsUnknown(dataset.path, unknown.slice(0, NAMED_IDS), unknown.length);
  const found = new Set(chosen.map(({ id }) => id));
  const absent = [...wanted].filter((id) => !found.has(id));
  if (split !== null) throw idsElsewhere(split.name, absent.slice(0, NAMED_IDS), absent.length);
  const [first = ''] = absent;
  throw idSealed(first, sealedIds.get(first)?.name ?? '');
}

/** Every so-manieth, then the first so many. */
function thinned(items: readonly Item[], { every, limit }: Choice): Item[] {
  const kept = every === null ? [...items] : items.filter((_, index) => index % every === 0);
  return limit === null ? kept : kept.slice(0, limit);
}

function leftOut(count: number, splits: readonly Split[]): string {
  const sealed = splits.filter((split) => split.sealed).map(({ name }) => `"${name}"`);
  const items = count === 1 ? '1 item' : `${count} items`;
  return `${items} of the sealed ${sealed.length === 1 ? 'split' : 'splits'} ${sealed.join(', ')} ${count === 1 ? 'is' : 'are'} left out.`;
}

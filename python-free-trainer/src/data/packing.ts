import type { PackedBatch, Segment } from './batch.ts';
import type { Example } from './conversation.ts';
import { exampleExceedsPack } from './errors.ts';
import { groupPrefixes, type PrefixGroup, rowsOf, singleGroup } from './prefixes.ts';

export interface PackOptions {
  /** Most rows of a pack. */
  packTokens: number;
  /** Compute what prompts begin with in common once. */
  sharePrefixes: boolean;
}

/** Examples that are computed at once. */
export interface Pack {
  groups: PrefixGroup[];
  /** Rows of all groups, at most `packTokens`. */
  size: number;
}

/**
 * Distributes examples over packs by best-fit decreasing: the largest first, each into the fullest pack that has room for
 * it. Examples are never cut. The same examples in the same order give the same packs.
 * @throws AppError `example_exceeds_pack`
 */
export function packExamples(examples: readonly Example[], { packTokens, sharePrefixes }: PackOptions): Pack[] {
  const groups = sharePrefixes
    ? groupPrefixes(examples, packTokens)
    : examples.map((_, index) => singleGroup(examples, index));
  const largestFirst = groups.toSorted((a, b) => b.size - a.size);
  const smallest = largestFirst.at(-1)?.size ?? 0;
  const packs: Pack[] = [];
  const open = new OpenPacks();
  for (const group of largestFirst) {
    if (group.size > packTokens) throw exampleExceedsPack(group.size, packTokens);
    const found = open.takeFullest(packTokens - group.size);
    const pack = found?.pack ?? { groups: [], size: 0 };
    if (found === null) packs.push(pack);
    pack.groups.push(group);
    pack.size += group.size;
    if (pack.size + smallest <= packTokens) open.add({ pack, number: found?.number ?? packs.length });
  }
  return packs;
}

/** A pack that has room, and which it is in the order of their making. */
interface OpenPack {
  pack: Pack;
  number: number;
}

/** Packs that have room, in the order of their rows and, of as many, of their making. */
class OpenPacks {
  readonly #sorted: OpenPack[] = [];

  /** Takes out the fullest pack of at most so many rows, the one made first of several; null where there is none. */
  takeFullest(rows: number): OpenPack | null {
    const last = this.#sorted[this.#place(rows, Number.POSITIVE_INFINITY) - 1];
    if (last === undefined) return null;
    return this.#sorted.splice(this.#place(last.pack.size, 0), 1)[0] ?? null;
  }

  add(open: OpenPack): void {
    this.#sorted.splice(this.#place(open.pack.size, open.number), 0, open);
  }

  /** How many stand before a pack with so many rows and this number. */
  #place(rows: number, number: number): number {
    let [from, to] = [0, this.#sorted.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const other = this.#sorted[middle];
      const isBefore = other && (other.pack.size < rows || (other.pack.size === rows && other.number < number));
      if (isBefore) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** The examples of a pack by their index, in the order in which a batch counts them. */
export function packMembers(pack: Pack): number[] {
  return pack.groups.flatMap(({ members }) => members);
}

/** A pack as what the engine computes. @param examples those that were packed */
export function toBatch(examples: readonly Example[], pack: Pack): PackedBatch {
  const tokens = new Int32Array(pack.size);
  const positions = new Int32Array(pack.size);
  const segments: Segment[] = [];
  const lossRows: number[] = [];
  const targets: number[] = [];
  const owners: number[] = [];
  let exampleCount = 0;
  let plainTokens = 0;
  let next = 0;
  for (const group of pack.groups) {
    const before = segments.length;
    for (const { example, from, to, parent } of group.rows) {
      tokens.set(examples[example]?.tokens.subarray(from, to) ?? [], next);
      for (let place = from; place < to; place += 1) positions[next + place - from] = place;
      segments.push({ start: next, length: to - from, parent: parent < 0 ? -1 : parent + before });
      next += to - from;
    }
    group.members.forEach((member, index) => {
      const example = examples[member];
      if (example === undefined) return;
      const rows = group.rows[group.last[index] ?? -1];
      const segment = segments[before + (group.last[index] ?? 0)];
      const parent = segments[segment?.parent ?? -1];
      for (let place = example.loss.indexOf(1); place >= 0; place = example.loss.indexOf(1, place + 1)) {
        if (rows === undefined || segment === undefined) continue;
        // The first token behind a shared beginning is predicted by the last row of that beginning.
        const row = place > rows.from ? segment.start + place - 1 - rows.from : lastRow(parent);
        lossRows.push(row);
        targets.push(example.tokens[place] ?? 0);
        owners.push(exampleCount);
      }
      exampleCount += 1;
      plainTokens += rowsOf(example);
    });
  }
  return {
    tokens,
    positions,
    segments,
    lossRows: Int32Array.from(lossRows),
    targets: Int32Array.from(targets),
    examples: Int32Array.from(owners),
    exampleCount,
    plainTokens,
  };
}

function lastRow(segment: Segment | undefined): number {
  return segment === undefined ? 0 : segment.start + segment.length - 1;
}

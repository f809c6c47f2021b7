import type { Example } from './conversation.ts';

/** Shorter common beginnings are computed anew: they save less than a segment costs. */
const LEAST_SHARED = 32;

/** Rows from the tokens of one example: a beginning that several share, or what one has behind it. */
export interface SharedRows {
  /** Whose tokens these are. */
  example: number;
  /** Places in its text, [from, to). */
  from: number;
  to: number;
  /** Index within the group of the rows that come before in the text, or -1. */
  parent: number;
}

/** Examples that are computed together. Parents stand before their children. */
export interface PrefixGroup {
  /** Examples, by index. */
  members: number[];
  rows: SharedRows[];
  /** For each member the rows that its text ends with, which may be a parent's. */
  last: number[];
  /** Number of rows of all. */
  size: number;
}

/** Rows that an example needs: all before its last learned token, which itself is only predicted. */
export function rowsOf({ loss }: Example): number {
  return Math.max(0, loss.lastIndexOf(1));
}

/** Tokens before the first learned one: what can be shared. */
function promptOf({ loss }: Example): number {
  return Math.max(0, loss.indexOf(1));
}

/**
 * Groups examples whose prompts begin with the same tokens, so that the beginning is computed once (Prefix Grouper, arXiv
 * 2506.05433, as a tree). Learned tokens are never shared. The same examples give the same groups in any order of theirs.
 *
 * @param most rows of a group; a larger one is divided and its beginning computed once a part. One example may have more.
 */
export function groupPrefixes(examples: readonly Example[], most = Number.POSITIVE_INFINITY): PrefixGroup[] {
  const sorted = sortByPrompt(examples);
  const groups: PrefixGroup[] = [];
  for (const [start, end] of runs(sorted.common, 0, examples.length, 0)) {
    for (let from = start; from < end; ) {
      const group = largestFitting(examples, sorted, from, end, most);
      groups.push(group);
      from += group.members.length;
    }
  }
  return groups;
}

/** An example as a group of its own. */
export function singleGroup(examples: readonly Example[], index: number): PrefixGroup {
  return buildGroup(examples, { order: [index], common: [0] }, 0, 1);
}

/**
 * A number for each example that is the same for those that share at least half of the shorter prompt: in training data
 * for SQL, those on one schema.
 */
export function prefixFamilies(examples: readonly Example[]): Int32Array {
  return numberRuns(examples, (shared, a, b) => shared >= Math.max(LEAST_SHARED, Math.min(a, b) / 2));
}

/** A number for each example that is the same for those with the same prompt. */
export function samePrompts(examples: readonly Example[]): Int32Array {
  return numberRuns(examples, (shared, a, b) => shared === a && shared === b);
}

/** Numbers examples so that neighbours by prompt have one number where they belong together: by what they share, and both lengths. */
function numberRuns(
  examples: readonly Example[],
  together: (shared: number, first: number, second: number) => boolean,
): Int32Array {
  const { order, common } = sortByPrompt(examples);
  const numbers = new Int32Array(examples.length);
  let number = 0;
  order.forEach((example, place) => {
    const before = order[place - 1];
    if (before !== undefined) {
      const [first, second] = [promptLength(examples, before), promptLength(examples, example)];
      if (!together(common[place] ?? 0, first, second)) number += 1;
    }
    numbers[example] = number;
  });
  return numbers;
}

/** Examples in the order of their prompts' tokens, and how many tokens each shares with the one before it. */
interface Sorted {
  order: number[];
  common: number[];
}

function sortByPrompt(examples: readonly Example[]): Sorted {
  const prompts = examples.map((example) => example.tokens.subarray(0, promptOf(example)));
  const order = prompts.map((_, index) => index).sort((a, b) => compare(prompts[a], prompts[b]) || a - b);
  const common = order.map((example, place) => commonLength(prompts[order[place - 1] ?? -1], prompts[example]));
  return { order, common };
}

function compare(a: Int32Array = new Int32Array(), b: Int32Array = new Int32Array()): number {
  const common = commonLength(a, b);
  return (a[common] ?? -1) - (b[common] ?? -1);
}

function commonLength(a: Int32Array = new Int32Array(), b: Int32Array = new Int32Array()): number {
  const most = Math.min(a.length, b.length);
  for (let place = 0; place < most; place += 1) if (a[place] !== b[place]) return place;
  return most;
}

/** Divides sorted places into runs whose neighbours share enough behind `from`. */
function runs(common: readonly number[], start: number, end: number, from: number): [number, number][] {
  const found: [number, number][] = [];
  let begin = start;
  for (let place = start + 1; place <= end; place += 1) {
    if (place < end && (common[place] ?? 0) - from >= LEAST_SHARED) continue;
    if (begin < place) found.push([begin, place]);
    begin = place;
  }
  return found;
}

/** The group of as many examples from a place on as have at most so many rows, of one at least. */
function largestFitting(
  examples: readonly Example[],
  sorted: Sorted,
  from: number,
  end: number,
  most: number,
): PrefixGroup {
  // Twice as many each time, so that the work goes with the size of the group and not with what is left behind it.
  let [fits, tooMany] = [1, 2];
  while (tooMany <= end - from && buildGroup(examples, sorted, from, from + tooMany).size <= most)
    [fits, tooMany] = [tooMany, 2 * tooMany];
  tooMany = Math.min(tooMany, end - from + 1);
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (buildGroup(examples, sorted, from, from + middle).size <= most) fits = middle;
    else tooMany = middle;
  }
  return buildGroup(examples, sorted, from, from + fits);
}

function buildGroup(examples: readonly Example[], { order, common }: Sorted, start: number, end: number): PrefixGroup {
  const group: PrefixGroup = { members: order.slice(start, end), rows: [], last: [], size: 0 };
  const add = (example: number, from: number, to: number, parent: number): number => {
    if (to <= from) return parent;
    group.size += to - from;
    return group.rows.push({ example, from, to, parent }) - 1;
  };
  const build = (begin: number, stop: number, from: number, parent: number): void => {
    for (const [first, behind] of runs(common, begin, stop, from)) {
      const example = order[first] ?? 0;
      if (behind - first === 1) {
        group.last.push(add(example, from, rowsAt(examples, example), parent));
        continue;
      }
      let shared = Number.POSITIVE_INFINITY;
      for (let place = first + 1; place < behind; place += 1) shared = Math.min(shared, common[place] ?? 0);
      build(first, behind, shared, add(example, from, shared, parent));
    }
  };
  build(start, end, 0, -1);
  return group;
}

function rowsAt(examples: readonly Example[], index: number): number {
  const example = examples[index];
  return example === undefined ? 0 : rowsOf(example);
}

function promptLength(examples: readonly Example[], index: number): number {
  const example = examples[index];
  return example === undefined ? 0 : promptOf(example);
}

import type { Segment } from '../data/batch.ts';

/** Texts of a pack that one run of a plan takes, in the order of their rows; places that are left over stay empty. */
export interface TextGroup {
  texts: { start: number; length: number }[];
  /** Texts that the plan is made for: a power of two. */
  places: number;
  /** Rows that the plan is made for; no text is longer. */
  length: number;
}

/** The shortest length that plans are made for. */
const SHORTEST = 128;
/** Tables begin at multiples of 16 bytes. */
const ALIGNED = 4;

/** Rows that a plan for texts of this length is made for: two steps an octave, so that few plans serve all packs. */
export function planLength(rows: number): number {
  const step = Math.max(SHORTEST, 2 ** Math.ceil(Math.log2(Math.max(rows, 1))) / 4);
  return Math.ceil(rows / step) * step;
}

/**
 * Groups of texts of about the same length (none shorter than half of the plan's), the longest first.
 * @param most texts that a plan for this length may take
 * @returns null where a plan for the longest text could take none
 */
export function groupTexts(segments: readonly Segment[], most: (length: number) => number): TextGroup[] | null {
  const texts = segments.map(({ start, length }) => ({ start, length })).sort((a, b) => b.length - a.length);
  const groups: TextGroup[] = [];
  for (let from = 0; from < texts.length; ) {
    const length = planLength(texts[from]?.length ?? 0);
    const room = most(length);
    if (room < 1) return null;
    const shorter = texts.findIndex((text, index) => index > from && length > SHORTEST && text.length <= length / 2);
    const end = Math.min(shorter < 0 ? texts.length : shorter, from + room);
    const taken = texts.slice(from, end).sort((a, b) => a.start - b.start);
    groups.push({ texts: taken, places: 2 ** Math.ceil(Math.log2(taken.length)), length });
    from = end;
  }
  return groups;
}

/**
 * What a plan reads of a group: lengths of the texts, then for each stride where they begin in a matrix with so many elements
 * between rows. Empty places have length 0 and begin where the last text ends.
 * @returns the tables behind each other, and where each begins
 */
export function groupTables(group: TextGroup, strides: readonly number[]): { values: Int32Array; begins: number[] } {
  const { texts, places, length } = group;
  // cuDNN would give NaN and say nothing.
  if (texts.length > places || texts.some((text) => text.length > length))
    throw new RangeError(`texts of at most ${length} rows, ${places} of them, were announced`);
  const last = texts.at(-1) ?? { start: 0, length: 0 };
  const starts = Array.from({ length: places + 1 }, (_, index) => texts[index]?.start ?? last.start + last.length);
  const lengths = Array.from({ length: places }, (_, index) => texts[index]?.length ?? 0);
  const tables = [lengths, ...strides.map((stride) => starts.map((start) => start * stride))];
  const size = Math.ceil((places + 1) / ALIGNED) * ALIGNED;
  const values = new Int32Array(size * tables.length);
  for (const [index, table] of tables.entries()) values.set(table, index * size);
  return { values, begins: tables.map((_, index) => index * size) };
}

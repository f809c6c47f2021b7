import type { Segment } from '../data/batch.ts';

/** The tables by which kernels of attention find their work: `struct Work` and `struct Range` of kernels/attention.cuh. */
export interface AttentionTable {
  /** [tiles, 4]: first row, rows, first range, ranges. */
  works: Int32Array;
  /** [ranges, 4]: first row, end, causal, 0. */
  ranges: Int32Array;
  tiles: number;
}

/** A tile with the ranges of rows that it meets, [start, end, causal]. */
interface Tile {
  start: number;
  count: number;
  ranges: [number, number, number][];
}

/**
 * Tiles of query rows, each with the keys that they see: every row of the parents, and of their own segment the rows up to
 * themselves. The longest work stands first, so that the last blocks are short.
 */
export function queryTiles(segments: readonly Segment[], rows: number): AttentionTable {
  const tiles = segments.flatMap((segment) =>
    cut(segment, rows).map(({ start, count }): Tile => {
      const parents = ancestors(segments, segment).map((parent): [number, number, number] => [
        parent.start,
        parent.start + parent.length,
        0,
      ]);
      return { start, count, ranges: [...parents, [segment.start, start + count, 1]] };
    }),
  );
  return tableOf(tiles);
}

/** Tiles of key rows, each with the queries that see them: of their own segment from themselves on, and all rows of descendants. */
export function keyTiles(segments: readonly Segment[], rows: number): AttentionTable {
  const children = segments.map((): number[] => []);
  for (const [index, { parent }] of segments.entries()) if (parent >= 0) children[parent]?.push(index);
  const tiles = segments.flatMap((segment, index) => {
    const below = descendants(segments, children, index);
    return cut(segment, rows).map(
      ({ start, count }): Tile => ({
        start,
        count,
        ranges: [[start, segment.start + segment.length, 1], ...joined(below)],
      }),
    );
  });
  return tableOf(tiles);
}

function cut({ start, length }: Segment, rows: number): { start: number; count: number }[] {
  return Array.from({ length: Math.ceil(length / rows) }, (_, index) => ({
    start: start + index * rows,
    count: Math.min(rows, length - index * rows),
  }));
}

function ancestors(segments: readonly Segment[], { parent }: Segment): Segment[] {
  const above = segments[parent];
  return above === undefined ? [] : [...ancestors(segments, above), above];
}

function descendants(segments: readonly Segment[], children: readonly number[][], index: number): Segment[] {
  return (children[index] ?? []).flatMap((child) => {
    const segment = segments[child];
    return segment === undefined ? [] : [segment, ...descendants(segments, children, child)];
  });
}

/** Ranges of descendants, those that lie beside each other as one. */
function joined(segments: readonly Segment[]): [number, number, number][] {
  const ranges: [number, number, number][] = [];
  for (const { start, length } of [...segments].sort((a, b) => a.start - b.start)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === start) last[1] = start + length;
    else ranges.push([start, start + length, 0]);
  }
  return ranges;
}

function tableOf(tiles: Tile[]): AttentionTable {
  const work = ({ ranges }: Tile) => ranges.reduce((sum, [start, end]) => sum + end - start, 0);
  const sorted = tiles.map((tile) => ({ tile, work: work(tile) })).sort((a, b) => b.work - a.work);
  const works = new Int32Array(tiles.length * 4);
  const ranges: number[] = [];
  for (const [index, { tile }] of sorted.entries()) {
    works.set([tile.start, tile.count, ranges.length / 4, tile.ranges.length], index * 4);
    for (const [start, end, causal] of tile.ranges) ranges.push(start, end, causal, 0);
  }
  return { works, ranges: Int32Array.from(ranges), tiles: tiles.length };
}

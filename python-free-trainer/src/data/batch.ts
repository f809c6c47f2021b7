/** Tokens of a pack that follow each other: an example, a shared beginning, or the rest of an example that shares one. */
export interface Segment {
  /** First row of the pack and number of rows. */
  start: number;
  length: number;
  /**
   * Index of the segment that comes before this one in the text, or -1. A row attends to all rows of its segment up to
   * itself and to every row of the parents, and to nothing else.
   */
  parent: number;
}

/** One micro-batch: rows without padding. Parents stand before their children. */
export interface PackedBatch {
  /** Token ids and their positions in their own text, [rows]. */
  tokens: Int32Array;
  positions: Int32Array;
  segments: Segment[];
  /**
   * The positions that carry loss, [n]: the output at row `lossRows[i]` predicts `targets[i]`. A row at the end of a shared
   * beginning may stand here several times with different targets. In the order of the examples.
   */
  lossRows: Int32Array;
  targets: Int32Array;
  /** Index of the example within the pack that a loss position belongs to, [n]. */
  examples: Int32Array;
  /** Examples in this pack, and tokens that they would have without sharing. */
  exampleCount: number;
  plainTokens: number;
}

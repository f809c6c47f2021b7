/** What the kernels of the output head read, as one array of 32-bit words that goes to the GPU in one piece. */
export interface HeadTables {
  words: Int32Array;
  /** First words of the parts: row and target of each loss position, its gradient (a float). */
  rows: number;
  targets: number;
  gradient: number;
  chunks: ChunkTable[];
}

/** A chunk of the loss positions. */
export interface ChunkTable {
  start: number;
  count: number;
  /**
   * Where gradients go: `places` different rows of the hidden states, at the first word `to`; row i gets the chunk's positions
   * `order[starts[i]]` … `order[starts[i + 1] - 1]`, in this order.
   */
  places: number;
  to: number;
  starts: number;
  order: number;
}

/** Words that tables of so many loss positions take at most. */
export function tableWords(positions: number, chunks: number): number {
  return 6 * positions + chunks;
}

/**
 * Lays the tables out.
 *
 * @param gradient null: none is needed, and no places either
 */
export function headTables(
  rows: Int32Array,
  targets: Int32Array,
  gradient: Float64Array | null,
  most: number,
): HeadTables {
  const count = rows.length;
  const chunks = Math.ceil(count / most);
  const words = new Int32Array(gradient === null ? 2 * count : tableWords(count, chunks));
  words.set(rows, 0);
  words.set(targets, count);
  const tables: HeadTables = { words, rows: 0, targets: count, gradient: 2 * count, chunks: [] };
  if (gradient !== null) new Float32Array(words.buffer, 8 * count, count).set(gradient);
  for (let chunk = 0, at = 3 * count; chunk < chunks; chunk++) {
    const start = chunk * most;
    const part = rows.subarray(start, start + most);
    if (gradient === null) tables.chunks.push({ start, count: part.length, places: 0, to: 0, starts: 0, order: 0 });
    else {
      const places = writePlaces(words, at, part);
      const [to, starts, order] = [at, at + places, at + 2 * places + 1];
      tables.chunks.push({ start, count: part.length, places, to, starts, order });
      at = order + part.length;
    }
  }
  return tables;
}

/** Writes `to`, `starts` and `order` of a chunk one behind the other. @returns how many different rows there are */
function writePlaces(words: Int32Array, at: number, rows: Int32Array): number {
  const places = new Map<number, number[]>();
  for (const [index, row] of rows.entries()) {
    const known = places.get(row);
    if (known === undefined) places.set(row, [index]);
    else known.push(index);
  }
  const [starts, order] = [at + places.size, at + 2 * places.size + 1];
  let next = 0;
  for (const [index, [row, indices]] of [...places].entries()) {
    words[at + index] = row;
    words[starts + index] = next;
    words.set(indices, order + next);
    next += indices.length;
  }
  words[starts + places.size] = next;
  return places.size;
}

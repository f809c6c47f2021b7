import { type Coloring, firstColoring, mix, recolored, sharedColors } from './coloring.ts';
import { type DistinctRows, type Grid, sameCells, sameColumns, sameDistinctRows } from './grid.ts';

/** Most cells that are colored in one search: some seconds. */
const MAX_COLORED = 200_000_000;

/** Rows in the order of their colors, which are all different. */
function byColor({ table, rows }: Coloring): Grid & { counts: Int32Array } {
  const order = Array.from(rows.keys()).sort((a, b) => (rows[a] ?? 0) - (rows[b] ?? 0));
  const arranged = (cells: Int32Array) => Int32Array.from(order, (row) => cells[row] ?? 0);
  return { height: table.height, columns: table.columns.map(arranged), counts: arranged(table.counts) };
}

/** Whether two tables are equal where row and row of one color must belong together. */
function isSameByRows(gold: Coloring, pred: Coloring): boolean {
  const goldRows = byColor(gold);
  const predRows = byColor(pred);
  return sameCells(goldRows.counts, predRows.counts) && sameColumns(goldRows, predRows);
}

/** Whether two tables are equal where column and column of one color must belong together. */
function isSameByColumns(gold: Coloring, pred: Coloring): boolean {
  const order = Array.from(gold.columns, (color) => pred.columns.indexOf(color));
  return sameDistinctRows(gold.table, pred.table, order);
}

/** The coloring with one column told apart from all others. */
function marked(coloring: Coloring, column: number): Coloring {
  return { ...coloring, columns: coloring.columns.map((color, index) => (index === column ? mix(color, 1) : color)) };
}

/** A column of those that share their color with the fewest others; null where all colors differ. */
function ambiguousColumn({ columns }: Coloring): number | null {
  let chosen: number | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  for (const [column, color] of columns.entries()) {
    const sharing = columns.filter((other) => other === color).length;
    if (sharing === 1 || sharing >= fewest) continue;
    chosen = column;
    fewest = sharing;
  }
  return chosen;
}

/**
 * Searches an order of the predicted columns under which two sets of rows are equal.
 *
 * Rows and columns are told apart by what they hold, over and over (color refinement), which also rejects most pairs that
 * differ. As soon as all rows are told apart, or all columns, one comparison decides. Else a column of the gold is paired
 * with each predicted column that looks like it, equal ones but once, and both are refined again. What decides is always
 * a comparison of cells, so that colors which fall together by chance cost time only.
 *
 * Tables without end of symmetry are given up after `MAX_COLORED` cells and count as different. Spider's script, which
 * tries every assignment of columns, comes to no end there.
 */
export class ColumnSearch {
  readonly #gold: DistinctRows;
  readonly #pred: DistinctRows;
  #left = MAX_COLORED;

  /** The tables have one width and as many different rows. */
  constructor(gold: DistinctRows, pred: DistinctRows) {
    this.#gold = gold;
    this.#pred = pred;
  }

  isFound(): boolean {
    return this.#isFoundFrom(firstColoring(this.#gold), firstColoring(this.#pred));
  }

  #isFoundFrom(gold: Coloring, pred: Coloring): boolean {
    const refined = this.#refine(gold, pred);
    if (refined === null) return false;
    if (refined.rows === this.#gold.height) return isSameByRows(refined.gold, refined.pred);
    const column = ambiguousColumn(refined.gold);
    if (column === null) return isSameByColumns(refined.gold, refined.pred);
    const tried: Int32Array[] = [];
    for (const candidate of refined.pred.columns.keys()) {
      if (refined.pred.columns[candidate] !== refined.gold.columns[column]) continue;
      const cells = this.#pred.columns[candidate] ?? new Int32Array();
      if (tried.some((known) => sameCells(known, cells))) continue;
      tried.push(cells);
      if (this.#isFoundFrom(marked(refined.gold, column), marked(refined.pred, candidate))) return true;
    }
    return false;
  }

  /** Colors both tables until nothing new is told apart; null where their colors differ, or the search is given up. */
  #refine(gold: Coloring, pred: Coloring): { gold: Coloring; pred: Coloring; rows: number } | null {
    let known = 0;
    for (let left = gold, right = pred; this.#left > 0; left = recolored(left), right = recolored(right)) {
      const rows = sharedColors(left.rows, right.rows);
      const columns = sharedColors(left.columns, right.columns);
      if (rows === null || columns === null) return null;
      const isDecided = rows === this.#gold.height || columns === this.#gold.columns.length;
      if (isDecided || rows + columns === known) return { gold: left, pred: right, rows };
      known = rows + columns;
      this.#left -= 4 * this.#gold.height * this.#gold.columns.length;
    }
    return null;
  }
}

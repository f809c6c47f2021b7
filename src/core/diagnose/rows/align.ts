import { type PairedRows, pairRows } from '../../score/row-index.ts';
import { type Row, type Rows, sameForms, type Table } from '../../score/rows.ts';
import { strictForm } from '../../score/strict-ex.ts';
import { type ColumnMatch, matchColumns, project } from './columns.ts';
import { pairSimilar } from './similar.ts';

/**
 * A row of one result beside the row of the other that it stands for. `missing`: the gold alone has it; `extra`: the
 * prediction alone; `changed`: some cells differ; `repeated`: both have it, another number of times; `moved`: it stands
 * elsewhere, where order counts.
 */
export interface AlignedRow {
  readonly kind: 'missing' | 'extra' | 'changed' | 'repeated' | 'moved';
  /** Where it stands first in its result, from 0; null where it is not there. */
  readonly gold: number | null;
  readonly pred: number | null;
  /** How many times it stands there. */
  readonly goldTimes: number;
  readonly predTimes: number;
  /** Of `changed`: the pairs of columns whose cells differ, as indexes into `columns.pairs`. */
  readonly changed: readonly number[];
}

/** Two results, row by row; equal rows are counted only. */
export interface Alignment {
  readonly columns: ColumnMatch;
  /** What differs: in the gold's order, then what the prediction alone has, in its order. */
  readonly rows: readonly AlignedRow[];
  /** Rows that both have, repeated ones as often as both have them. */
  readonly same: number;
}

/** The first row at each place of `PairedRows`; -1 where there is none. */
function firstRows(places: Int32Array, length: number): Int32Array {
  const first = new Int32Array(length).fill(-1);
  for (let row = places.length - 1; row >= 0; row--) first[places[row] ?? 0] = row;
  return first;
}

/** Aligns two results whose columns are the same. */
class Aligner {
  readonly #paired: PairedRows;
  readonly #goldFirst: Int32Array;
  readonly #predFirst: Int32Array;

  constructor(gold: Rows, pred: Rows) {
    this.#paired = pairRows(gold, pred, strictForm);
    const { length } = this.#paired.forms;
    this.#goldFirst = firstRows(this.#paired.gold, length);
    this.#predFirst = firstRows(this.#paired.pred, length);
  }

  get same(): number {
    const { goldCounts, predCounts } = this.#paired;
    return goldCounts.reduce((sum, count, place) => sum + Math.min(count, predCounts[place] ?? 0), 0);
  }

  differing(): AlignedRow[] {
    const { goldCounts, predCounts, forms } = this.#paired;
    const places = [...forms.keys()];
    const missing = places.filter((place) => predCounts[place] === 0);
    const extra = places.filter((place) => goldCounts[place] === 0);
    const repeated = places.filter((place) => {
      const [gold, pred] = [goldCounts[place] ?? 0, predCounts[place] ?? 0];
      return gold > 0 && pred > 0 && gold !== pred;
    });
    const partners = this.#partners(missing, extra);
    const taken = new Set(partners.values());
    const rows = [
      ...missing.map((place) => this.#missing(place, partners.get(place))),
      ...repeated.map((place) => this.#row('repeated', place, place)),
    ].sort((a, b) => (a.gold ?? 0) - (b.gold ?? 0));
    const alone = extra.filter((place) => !taken.has(place)).map((place) => this.#row('extra', null, place));
    return [...rows, ...alone];
  }

  #missing(place: number, partner: number | undefined): AlignedRow {
    return partner === undefined ? this.#row('missing', place, null) : this.#row('changed', place, partner);
  }

  #row(kind: AlignedRow['kind'], gold: number | null, pred: number | null): AlignedRow {
    const { goldCounts, predCounts, forms } = this.#paired;
    const changed = kind === 'changed' ? differingCells(forms[gold ?? 0] ?? [], forms[pred ?? 0] ?? []) : [];
    return {
      kind,
      gold: gold === null ? null : (this.#goldFirst[gold] ?? null),
      pred: pred === null ? null : (this.#predFirst[pred] ?? null),
      goldTimes: gold === null ? 0 : (goldCounts[gold] ?? 0),
      predTimes: pred === null ? 0 : (predCounts[pred] ?? 0),
      changed,
    };
  }

  /** Extra rows by the missing rows that they stand for. */
  #partners(missing: readonly number[], extra: readonly number[]): Map<number, number> {
    const { forms, gold, pred } = this.#paired;
    // One value for one value: nothing else can be meant.
    if (gold.length === 1 && pred.length === 1)
      return new Map(missing.flatMap((place, index) => pairOf(place, extra[index])));
    const rowsAt = (places: readonly number[]) => places.map((place) => forms[place] ?? []);
    const pairs = pairSimilar(rowsAt(missing), rowsAt(extra));
    return new Map(pairs.flatMap((pair) => pairOf(missing[pair.gold], extra[pair.pred])));
  }

  /** The rows that stand elsewhere, where both results have the same ones. */
  moved(): AlignedRow[] {
    const { gold, pred, goldCounts } = this.#paired;
    return [...gold].flatMap((place, row) => {
      if (place === pred[row]) return [];
      const times = goldCounts[place] ?? 0;
      const there = this.#predFirst[place] ?? null;
      return [{ kind: 'moved' as const, gold: row, pred: there, goldTimes: times, predTimes: times, changed: [] }];
    });
  }
}

function pairOf(one: number | undefined, other: number | undefined): [number, number][] {
  return one === undefined || other === undefined ? [] : [[one, other]];
}

function differingCells(one: Row, other: Row): number[] {
  return one.flatMap((cell, column) => (sameForms([cell], [other[column] ?? null]) ? [] : [column]));
}

/**
 * Puts two results beside each other under the equality of `strict_ex`: columns as `matchColumns` has them, then equal
 * rows, then rows that share most of their cells.
 * @param ordered whether the order of rows counts
 */
export function alignResults(gold: Table, pred: Table, ordered: boolean): Alignment {
  const columns = matchColumns(gold, pred);
  const [goldRows, predRows] = [
    project(
      gold.rows,
      columns.pairs.map((pair) => pair.gold),
    ),
    project(
      pred.rows,
      columns.pairs.map((pair) => pair.pred),
    ),
  ];
  const aligner = new Aligner(goldRows, predRows);
  const differing = aligner.differing();
  const rows = differing.length === 0 && ordered ? aligner.moved() : differing;
  return { columns, rows, same: aligner.same };
}

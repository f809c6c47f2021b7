import type { StagePlan, TracePlan } from '../diagnose/trace/plan.ts';
import { type LinePlace, LineStarts } from './lines.ts';

/** A clause in the text of a query. */
export interface ClausePlace {
  readonly plan: TracePlan;
  readonly index: number;
  readonly stage: StagePlan;
  readonly offset: number;
  readonly start: LinePlace;
  readonly end: LinePlace;
}

/** The clauses of one text in the order in which they stand, to be found by line. */
export class ClausePlaces {
  readonly lines: LineStarts;
  /** In the order in which they stand. */
  readonly all: readonly ClausePlace[];
  readonly #byLine = new Map<number, ClausePlace[]>();

  /** @param plan of the query; nested traces of other texts (views) are left out */
  constructor(text: string, plan: TracePlan) {
    this.lines = new LineStarts(text);
    const found = clausesOf(plan).filter((clause) => clause.plan.text === text);
    this.all = found.map((clause) => this.#placed(clause)).sort((one, other) => one.offset - other.offset);
    for (const clause of this.all) {
      const list = this.#byLine.get(clause.start.line);
      if (list === undefined) this.#byLine.set(clause.start.line, [clause]);
      else list.push(clause);
    }
  }

  #placed({ plan, index, stage }: Clause): ClausePlace {
    const { offset, length } = stage.range;
    const [start, end] = [this.lines.placeOf(offset), this.lines.placeOf(offset + length)];
    return { plan, index, stage, offset, start, end };
  }

  /** The clauses that begin on a line. */
  onLine(line: number): readonly ClausePlace[] {
    return this.#byLine.get(line) ?? [];
  }

  /**
   * The clause that a breakpoint means: the one that begins at its place, else the innermost one around it, else the next
   * one below; null where there is none.
   * @param column null: the whole line is meant, whose first clause to work counts
   */
  nearest(line: number, column: number | null): ClausePlace | null {
    const here = this.onLine(line);
    if (here.length > 0) return column === null ? this.#firstToWork(here) : nearestColumn(here, column);
    const around = this.all.filter(({ start, end }) => start.line <= line && end.line >= line);
    const below = this.all.find(({ start }) => start.line > line);
    return around.at(-1) ?? (below === undefined ? null : this.#firstToWork(this.onLine(below.start.line)));
  }

  /** Of the query that begins first on a line. */
  #firstToWork(clauses: readonly ClausePlace[]): ClausePlace | null {
    const [first] = clauses;
    const outermost = clauses.filter(({ plan }) => plan === first?.plan);
    return outermost.toSorted((one, other) => one.index - other.index)[0] ?? null;
  }
}

function nearestColumn(clauses: readonly ClausePlace[], column: number): ClausePlace | null {
  return clauses.findLast(({ start }) => start.column <= column) ?? clauses[0] ?? null;
}

interface Clause {
  readonly plan: TracePlan;
  readonly index: number;
  readonly stage: StagePlan;
}

function clausesOf(plan: TracePlan): Clause[] {
  return plan.stages.flatMap((stage, index) => [{ plan, index, stage }, ...stage.nested.flatMap(clausesOf)]);
}

import type { ClausePlace } from '../../core/debug/clause-places.ts';
import { type HitTest, hitTest } from '../../core/debug/hit-count.ts';
import type { LinePlace } from '../../core/debug/lines.ts';
import { type Step, stageOf } from '../../core/debug/step.ts';
import type { Breakpoint, Source, SourceBreakpoint } from '../../protocol/dap.ts';
import type { Debuggee, Side } from './debuggee.ts';
import type { SourceText } from './source-texts.ts';

/** A breakpoint that was set. */
export interface SetBreakpoint {
  readonly id: number;
  readonly source: SourceText;
  /** Where its clause begins. */
  readonly offset: number;
  readonly condition: string | null;
  readonly counts: HitTest | null;
  readonly logMessage: string | null;
  hits: number;
}

/** Places as the client counts them. */
export interface ClientPlaces {
  /** From the client's to ours, which begin at 1. */
  line(line: number): number;
  column(column: number): number;
  shown(place: LinePlace): LinePlace;
}

/** The breakpoints on clauses, by text. They outlive a restart, which plans the texts anew. */
export class Breakpoints {
  readonly #wanted = new Map<string, { source: Source; breakpoints: readonly SourceBreakpoint[] }>();
  #set: SetBreakpoint[] = [];
  #lastId = 0;

  /** Replaces the breakpoints of one text. */
  set(debuggee: Debuggee, source: Source, wanted: readonly SourceBreakpoint[], places: ClientPlaces): Breakpoint[] {
    this.#wanted.set(keyOf(source), { source, breakpoints: wanted });
    return this.#place(debuggee, source, wanted, places);
  }

  /** Sets them all again where the texts were read again. */
  again(debuggee: Debuggee, places: ClientPlaces): void {
    this.#set = [];
    for (const { source, breakpoints } of this.#wanted.values()) this.#place(debuggee, source, breakpoints, places);
  }

  #place(debuggee: Debuggee, source: Source, wanted: readonly SourceBreakpoint[], places: ClientPlaces): Breakpoint[] {
    const text = debuggee.texts.find(source);
    this.#set = this.#set.filter((breakpoint) => breakpoint.source !== text);
    return wanted.map((breakpoint) => this.#one(text, breakpoint, places));
  }

  #one(text: SourceText | null, wanted: SourceBreakpoint, places: ClientPlaces): Breakpoint {
    const id = ++this.#lastId;
    const refused = (message: string) => ({ id, verified: false, message });
    if (text === null) return refused('This file is not what is being debugged.');
    const line = places.line(wanted.line);
    const clause = text.places.nearest(line, wanted.column === undefined ? null : places.column(wanted.column));
    if (clause === null) return refused('No clause of the query stands here or below.');
    const counts = wanted.hitCondition === undefined ? null : hitTest(wanted.hitCondition);
    if (wanted.hitCondition !== undefined && counts === null)
      return refused(`"${wanted.hitCondition}" is no number of hits: give a number, or one after = > >= < <= or %.`);
    this.#set.push({
      id,
      source: text,
      offset: clause.offset,
      condition: given(wanted.condition),
      counts,
      logMessage: given(wanted.logMessage),
      hits: 0,
    });
    const moved = clause.start.line === line ? {} : { message: `It stands at the start of ${clause.stage.label}.` };
    return { id, verified: true, ...moved, source: text.source, ...rangeOf(clause, places) };
  }

  /** The breakpoints on the clause of a step. */
  at(debuggee: Debuggee, side: Side, step: Step): SetBreakpoint[] {
    const { offset } = stageOf(step).range;
    const text = debuggee.textOf(side, step.plan);
    return this.#set.filter((breakpoint) => breakpoint.source === text && breakpoint.offset === offset);
  }
}

/** Where a clause begins and ends, as the client counts. */
export function rangeOf(clause: Pick<ClausePlace, 'start' | 'end'>, places: ClientPlaces) {
  const [start, end] = [places.shown(clause.start), places.shown(clause.end)];
  return { line: start.line, column: start.column, endLine: end.line, endColumn: end.column };
}

function given(text: string | undefined): string | null {
  return text === undefined || text.trim() === '' ? null : text;
}

function keyOf({ path, sourceReference }: Source): string {
  return sourceReference !== undefined && sourceReference > 0 ? `#${sourceReference}` : (path ?? '');
}

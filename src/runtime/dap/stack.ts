import { type Step, stageOf, stepsOf } from '../../core/debug/step.ts';
import { countWords, sourceWords, stageWords } from '../../core/debug/words.ts';
import type { StackFrame } from '../../protocol/dap.ts';
import { type ClientPlaces, rangeOf } from './breakpoints.ts';
import type { Debuggee, Side } from './debuggee.ts';

/** A frame of the stack: a clause, or the query that it lies in. */
export interface Frame {
  readonly id: number;
  readonly side: Side;
  readonly step: Step;
  readonly kind: 'clause' | 'query';
}

/** Frame identifiers of one thread begin at a multiple of this. */
const PER_THREAD = 10_000;

/** The stack of a query, the clause that has just worked first: clause, then the query it lies in, then the clause around. */
export function framesOf(side: Side, step: Step): Frame[] {
  return stepsOf(step).flatMap((level, depth) => {
    const id = side.thread * PER_THREAD + depth * 2;
    return [
      { id, side, step: level, kind: 'clause' as const },
      { id: id + 1, side, step: level, kind: 'query' as const },
    ];
  });
}

/** A frame as it is shown. */
export function shownFrame(debuggee: Debuggee, { id, side, step, kind }: Frame, places: ClientPlaces): StackFrame {
  const { source, places: clauses } = debuggee.textOf(side, step.plan);
  const stage = stageOf(step);
  const range = kind === 'clause' ? stage.range : step.plan.range;
  const failure = kind === 'clause' ? debuggee.failureAt(step) : null;
  const start = clauses.lines.placeOf(failure?.offset ?? range.offset);
  const end = clauses.lines.placeOf(range.offset + range.length);
  const shown = rangeOf({ start, end }, places);
  if (kind === 'query') {
    const name = step.outer === null ? side.name : sourceWords(step.plan.source);
    return { id, name, source, ...shown, presentationHint: 'subtle' };
  }
  const count = debuggee.counted(stage);
  const counted = count === undefined ? [] : [countWords(count, stage)];
  const words = [stageWords(stage), ...(failure === null ? counted : ['does not run'])];
  return { id, name: words.join(' · '), source, ...shown };
}

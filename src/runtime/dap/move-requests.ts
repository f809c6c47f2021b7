import { firstStep, nestedOf, type Step } from '../../core/debug/step.ts';
import { sourceWords } from '../../core/debug/words.ts';
import type { TracePlan } from '../../core/diagnose/trace/plan.ts';
import {
  FrameArguments,
  GotoArguments,
  GotoTargetsArguments,
  StepInArguments,
  ThreadArguments,
} from '../../protocol/dap.ts';
import { rangeOf } from './breakpoints.ts';
import { type Handler, handler, type SessionCore } from './core.ts';
import type { Side } from './debuggee.ts';
import { noSuchTarget } from './errors.ts';
import type { Mover } from './mover.ts';
import type { Move } from './walk.ts';

/** Outer rows for which a correlated subquery is offered. */
const MOST_OUTER_ROWS = 10;

const MOVES: Record<string, Move> = {
  next: 'next',
  stepOut: 'out',
  stepBack: 'back',
  continue: 'continue',
  reverseContinue: 'reverse',
};

/** The requests that go from clause to clause. */
export function moveRequests(core: SessionCore, mover: Mover): Record<string, Handler> {
  const targets = new Targets();
  const simple = Object.entries(MOVES).map(([command, move]) => [
    command,
    handler(command, ThreadArguments, ({ threadId }) => {
      mover.begin(threadId, (walk) => walk.go(move));
      return command === 'continue' ? { allThreadsContinued: true } : undefined;
    }),
  ]);
  return {
    ...Object.fromEntries(simple),
    stepIn: handler('stepIn', StepInArguments, ({ threadId, targetId }) => {
      const step = targetId === undefined ? null : targets.get(targetId);
      mover.begin(threadId, (walk) => (step === null ? walk.go('in') : walk.land(step, 'step')));
    }),
    stepInTargets: handler('stepInTargets', FrameArguments, async ({ frameId }, signal) => {
      const { step, kind } = core.position.frame(frameId);
      return { targets: kind === 'query' ? [] : await innerTargets(core, targets, step, signal) };
    }),
    gotoTargets: handler('gotoTargets', GotoTargetsArguments, ({ source, line, column }) => {
      const text = core.position.debuggee.texts.find(source);
      const side = core.position.debuggee.sides.find((candidate) => candidate.source === text);
      if (text === null || side === undefined) return { targets: [] };
      const clause = text.places.nearest(
        core.places.line(line),
        column === undefined ? null : core.places.column(column),
      );
      const step = clause === null ? null : stepTo(side, clause.plan, clause.index);
      if (clause === null || step === null) return { targets: [] };
      const id = targets.add(step);
      return { targets: [{ id, label: clause.stage.label, ...rangeOf(clause, core.places) }] };
    }),
    goto: handler('goto', GotoArguments, ({ threadId, targetId }) => {
      const step = targets.get(targetId);
      mover.begin(threadId, async () => ({ step, reason: 'goto', text: null, breakpoints: [], exception: null }));
    }),
    pause: handler('pause', ThreadArguments, () => mover.pause()),
  };
}

/** Steps that were offered to go to. */
class Targets {
  readonly #steps: Step[] = [];

  /** @returns its id */
  add(step: Step): number {
    return this.#steps.push(step);
  }

  /** @throws AppError `dap_no_target` */
  get(id: number): Step {
    const step = this.#steps[id - 1];
    if (step === undefined) throw noSuchTarget(id);
    return step;
  }
}

/** The nested traces of a clause; a correlated subquery for the first rows of the outer query, one by one. */
async function innerTargets(core: SessionCore, targets: Targets, step: Step, signal: AbortSignal) {
  const { debuggee } = core.position;
  const found: { id: number; label: string }[] = [];
  for (const [index, plan] of nestedOf(step).entries()) {
    const outer = { ...step, behind: index };
    const offer = (inner: TracePlan, label: string) => {
      const first = firstStep(inner, outer);
      if (first !== null) found.push({ id: targets.add(first), label });
    };
    const excerpt = plan.text.slice(plan.range.offset, plan.range.offset + plan.range.length).replaceAll(/\s+/g, ' ');
    const label = `${sourceWords(plan.source)}: ${excerpt.length > 60 ? `${excerpt.slice(0, 59)}…` : excerpt}`;
    const choices = await core.outerRows.choices(debuggee, plan, MOST_OUTER_ROWS, signal);
    if (choices.length === 0) offer(plan, label);
    for (const choice of choices) offer(core.outerRows.bind(plan, choice), `${label} for ${choice.words}`);
  }
  return found;
}

/** The step at a clause of a query, with the clauses around it; null where the clause is none of the query's. */
function stepTo(side: Side, plan: TracePlan, index: number): Step | null {
  const around = (current: TracePlan, outer: Step | null): Step | null => {
    if (current === plan) return { plan, index, outer, behind: 0 };
    for (const [at, { nested }] of current.stages.entries())
      for (const inner of nested) {
        const found = around(inner, { plan: current, index: at, outer, behind: 0 });
        if (found !== null) return found;
      }
    return null;
  };
  return around(side.plan, null);
}

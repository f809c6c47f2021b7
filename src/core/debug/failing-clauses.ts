import { PLAIN_RESULT, type StagePlan, type TracePlan } from '../diagnose/trace/plan.ts';

/** Why a clause does not run. */
export interface ClauseFailure {
  readonly message: string;
  /** Where in the plan's text; null where SQLite does not say. */
  readonly offset: number | null;
}

/** A query that does not run, as far as it can be stepped through. */
export interface FailingPlan {
  readonly plan: TracePlan;
  readonly failures: ReadonlyMap<StagePlan, ClauseFailure>;
}

/**
 * Cuts a plan behind its first clause that does not run, and what is nested in that clause likewise: what stands behind
 * cannot work. A query whose clauses all run alone fails at its last one.
 * @param whyNot what SQLite says of a query; null: it runs
 * @param failure of the query as a whole
 */
export async function cutAtFailure(
  plan: TracePlan,
  whyNot: (sql: string) => Promise<string | null>,
  failure: ClauseFailure,
): Promise<FailingPlan> {
  const failures = new Map<StagePlan, ClauseFailure>();
  const cut = (await cutPlan(plan, whyNot, failure, failures)) ?? plan;
  const last = cut.stages.at(-1);
  if (last !== undefined && !failures.has(last)) failures.set(last, failure);
  return { plan: cut, failures };
}

/** null where all of it runs. */
async function cutPlan(
  plan: TracePlan,
  whyNot: (sql: string) => Promise<string | null>,
  whole: ClauseFailure,
  failures: Map<StagePlan, ClauseFailure>,
): Promise<TracePlan | null> {
  for (const [index, stage] of plan.stages.entries()) {
    const message = await whyNot(stage.sql);
    if (message === null) continue;
    const nested: TracePlan[] = [];
    for (const inner of stage.nested) {
      const cut = await cutPlan(inner, whyNot, whole, failures);
      nested.push(cut ?? inner);
      if (cut !== null) break;
    }
    const failing = { ...stage, nested };
    const isPlaced = whole.offset !== null && message === whole.message && isWithin(whole.offset, stage);
    failures.set(failing, { message, offset: isPlaced ? whole.offset : null });
    return { ...plan, stages: [...plan.stages.slice(0, index), failing] };
  }
  return null;
}

function isWithin(offset: number, { range }: StagePlan): boolean {
  return offset >= range.offset && offset <= range.offset + range.length;
}

/** A text that has no clauses, since it cannot be parsed: one step, where it is wrong. */
export function unparsedPlan(text: string, failure: ClauseFailure): FailingPlan {
  const offset = Math.min(failure.offset ?? text.search(/\S/), text.length);
  const stage: StagePlan = {
    ...PLAIN_RESULT,
    clause: 'SELECT',
    label: 'syntax error',
    range: { offset, length: Math.min(1, text.length - offset) },
    sql: text,
    count: { by: 'query', sql: text },
  };
  const plan: TracePlan = {
    source: { kind: 'query', name: null },
    text,
    range: { offset: 0, length: text.length },
    query: null,
    stages: [stage],
    complete: false,
    why: null,
    correlation: null,
  };
  return { plan, failures: new Map([[stage, failure]]) };
}

import { outerInWords, sourceInWords } from '../../core/diagnose/trace/words.ts';
import type { Trace, TraceStage } from '../../protocol/diagnose.ts';
import type { InnerStepView, StepView } from '../../protocol/diagnosis-view.ts';

/** Most levels of queries within queries that are shown, and most steps inside of one clause. */
const DEEPEST = 3;
const MOST_INNER = 40;

function titleOf({ source, outer }: Trace): string {
  const words = sourceInWords(source);
  const title = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  const keys = outerInWords(outer ?? []);
  return keys === '' ? title : `${title}, for ${keys}`;
}

/** What a join does that repeats rows. The average tells little where other rows find no partner. */
function multipliesInWords({ fanout, driving }: TraceStage): string {
  if (fanout !== null && fanout > 1)
    return `Multiplies: ${Number(fanout.toFixed(2))} rows on average for one row ${driving === null ? 'before' : `of ${driving}`}`;
  return `Multiplies: some rows ${driving === null ? 'of before' : `of ${driving}`} stand several times`;
}

/** What is to be watched at a step. */
function flagsOf(stage: TraceStage): string[] {
  const { multiplies, ties, notes } = stage;
  return [
    ...(multiplies === true ? [multipliesInWords(stage)] : []),
    ...(ties === null ? [] : [`Cuts through ${ties.tied} rows that sort alike; which ${ties.kept} stay is arbitrary`]),
    ...notes.map((note) => note.replace(/\.$/, '')),
  ];
}

function fieldsOf(stage: TraceStage, sql: string) {
  const { label, rowCount, range } = stage;
  const text = sql
    .slice(range.offset, range.offset + range.length)
    .replace(/\s+/g, ' ')
    .trim();
  return { label, text, rowCount, flags: flagsOf(stage) };
}

function innerSteps(trace: Trace, depth: number, parting: TraceStage | null): InnerStepView[] {
  return trace.stages.flatMap((stage) => [
    { ...fieldsOf(stage, trace.text), depth, parts: stage === parting },
    ...(depth < DEEPEST ? (stage.nested ?? []).flatMap((nested) => innerSteps(nested, depth + 1, parting)) : []),
  ]);
}

/**
 * A stage of a trace as a view shows it.
 * @param sql the query that the stage's range is in
 * @param parting the nested stage at which the rows part; null where there is none
 */
export function stepOf(stage: TraceStage, sql: string, parting: TraceStage | null = null): StepView {
  const inside = (stage.nested ?? []).map((trace) => ({
    title: titleOf(trace),
    steps: innerSteps(trace, 0, parting).slice(0, MOST_INNER),
  }));
  return { ...fieldsOf(stage, sql), range: stage.range, inside };
}

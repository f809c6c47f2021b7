import { stepsOf } from '../../core/debug/step.ts';
import { countWords } from '../../core/debug/words.ts';
import {
  CompletionsArguments,
  EvaluateArguments,
  FrameArguments,
  NoArguments,
  type RowCounts,
  SourceArguments,
  StackTraceArguments,
  VariablesArguments,
} from '../../protocol/dap.ts';
import { completionsAt } from './completions.ts';
import { type Handler, handler, type SessionCore } from './core.ts';
import { evaluate } from './evaluate.ts';
import { clauseScopes, resultScope } from './scopes.ts';
import type { Frame } from './stack.ts';

/** The requests that look at the clause that is shown. */
export function lookRequests(core: SessionCore): Record<string, Handler> {
  return {
    threads: handler('threads', NoArguments, () => ({
      threads: core.position.debuggee.sides.map(({ thread, name }) => ({ id: thread, name })),
    })),
    stackTrace: handler('stackTrace', StackTraceArguments, ({ threadId, startFrame = 0, levels = 0 }) => {
      const frames = core.position.frames(threadId);
      const end = levels === 0 ? frames.length : startFrame + levels;
      const stackFrames = frames.slice(startFrame, end).map((frame) => core.position.shown(frame, core.places));
      return { stackFrames, totalFrames: frames.length };
    }),
    scopes: handler('scopes', FrameArguments, async ({ frameId }, signal) => {
      const { kind, step } = core.position.frame(frameId);
      const make = kind === 'clause' ? clauseScopes : resultScope;
      return { scopes: await make(core.scopeParts, step, signal) };
    }),
    variables: handler('variables', VariablesArguments, async (args, signal) => ({
      variables: await core.handles.children(args, signal),
    })),
    evaluate: handler('evaluate', EvaluateArguments, ({ expression, frameId, context }, signal) => {
      const stage = stageShown(core, frameId);
      const kind = context === 'hover' ? 'hover' : 'other';
      return evaluate(core.position.debuggee, core.handles, stage, expression, kind, signal);
    }),
    completions: handler('completions', CompletionsArguments, async ({ text, column, frameId, line }, signal) => {
      const stage = stageShown(core, frameId);
      const columns = await core.position.debuggee.columns(stage, signal);
      const lines = text.split('\n');
      const at = line === undefined ? 0 : core.places.line(line) - 1;
      return { targets: completionsAt(stage, columns, lines[at] ?? '', core.places.column(column) - 1) };
    }),
    source: handler('source', SourceArguments, ({ source, sourceReference }) => ({
      content: core.position.debuggee.texts.content(source?.sourceReference ?? sourceReference),
      mimeType: 'text/x-sql',
    })),
    'sqlTrace/rowCounts': handler('sqlTrace/rowCounts', FrameArguments, ({ frameId }, signal) =>
      rowCounts(core, core.position.frame(frameId), signal),
    ),
  };
}

/** The frame of a query stands for its result. */
function stageShown({ position }: SessionCore, frameId: number | undefined) {
  const { kind, step } = position.frame(frameId);
  const shown = kind === 'query' ? { ...step, index: step.plan.stages.length - 1 } : step;
  return position.debuggee.shownStage(shown);
}

/** What stands at the ends of the clauses that have worked, in the text of a frame. */
async function rowCounts({ position }: SessionCore, { side, step }: Frame, signal: AbortSignal): Promise<RowCounts> {
  const { debuggee } = position;
  const counts: RowCounts['counts'] = [];
  for (const { plan, index } of stepsOf(step)) {
    if (plan.text !== step.plan.text) continue;
    const { lines } = debuggee.textOf(side, plan).places;
    for (let at = 0; at <= index; at++) {
      const stage = plan.stages[at];
      if (stage === undefined) continue;
      const fails = debuggee.failureAt({ ...step, plan, index: at }) !== null;
      const count = fails ? null : await debuggee.count({ plan, index: at }, signal);
      const { line, column } = lines.placeOf(stage.range.offset + stage.range.length);
      counts.push({ line, column, text: fails ? 'does not run' : countWords(count, stage) });
    }
  }
  return { counts };
}

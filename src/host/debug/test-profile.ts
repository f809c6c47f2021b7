import * as vscode from 'vscode';
import type { Ctx } from '../ctx.ts';
import { DEBUG_TYPE } from '../ids.ts';
import { reportError } from '../report.ts';
import type { EvalTests } from '../tests/provider.ts';
import type { Suite, TestNode } from '../tests/suite.ts';

/** Adds the way to debug a question: the query that it was answered with last, beside the gold, clause by clause. */
export function registerTraceProfile(
  ctx: Ctx,
  controller: vscode.TestController,
  load: () => Promise<EvalTests>,
): void {
  const run = async (request: vscode.TestRunRequest) => {
    try {
      await trace(await load(), request);
    } catch (error) {
      reportError(ctx, 'Trace clauses', error);
    }
  };
  controller.createRunProfile('Trace clauses', vscode.TestRunProfileKind.Debug, run, true);
}

async function trace(tests: EvalTests, { include = [] }: vscode.TestRunRequest): Promise<void> {
  const question = include.map((item) => tests.nodeOf(item)).find(isQuestion);
  if (question === undefined) {
    void vscode.window.showInformationMessage('Clauses are traced of one question at a time: debug a single one.');
    return;
  }
  const { suite, id } = question;
  await tests.recall(suite);
  const last = suite.lastOf(id);
  const subject = last === undefined ? await goldOf(suite, id) : { run: last.runId, item: id };
  const config = { type: DEBUG_TYPE, request: 'launch', name: `Trace ${id}`, stopOnEntry: true, ...subject };
  await vscode.debug.startDebugging(suite.source.folder, config);
}

function isQuestion(node: TestNode | undefined): node is Extract<TestNode, { kind: 'question' }> {
  return node?.kind === 'question';
}

/** A question that was never run has no query but its gold. */
async function goldOf(suite: Suite, id: string): Promise<{ sql: string; database?: string }> {
  const dataset = await suite.load();
  const item = dataset.items.find((candidate) => candidate.id === id);
  if (item === undefined) return { sql: '' };
  const { locateDatabases } = await import('../../runtime/evals/databases.ts');
  const located = await locateDatabases([item], { dataset, root: suite.source.databases, suite: false });
  const [database] = located.pathsOf(item);
  return { sql: item.gold, ...(database === undefined ? {} : { database }) };
}

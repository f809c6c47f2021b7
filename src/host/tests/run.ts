import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Item } from '../../protocol/dataset.ts';
import { toWireError } from '../../protocol/errors.ts';
import type { EvalEvent } from '../../protocol/eval.ts';
import type { Ctx } from '../ctx.ts';
import { isSilent } from '../errors.ts';
import { signalOf } from '../models/try-model.ts';
import { reportError } from '../report.ts';
import { type Choice, chooseFor } from './choose.ts';
import { evalEnvironment, evalWords } from './command-line.ts';
import { runEvalChild } from './eval-child.ts';
import { EvalTelling } from './eval-telling.ts';
import { outputText } from './messages.ts';
import { resultsFolderOf } from './results-folder.ts';
import type { Suite, TestNode } from './suite.ts';

/** Items above which VS Code is told less and not asked to keep a run: its history has no room for it, the ledger has. */
const MANY = 2000;

/** What a run needs to know of the tree. */
export interface RunWorld {
  ctx: Ctx;
  controller: vscode.TestController;
  tests: {
    suites(): Promise<Suite[]>;
    nodeOf(item: vscode.TestItem): TestNode | undefined;
    /** Ends when what the ledger knows of a suite's questions is known here. */
    recall(suite: Suite): Promise<void>;
  };
}

/** What is run of one suite. */
interface Plan {
  suite: Suite;
  items: Item[];
  note: string | null;
  /** Why nothing can be run of it. */
  problem: string | null;
}

function isPresent<T>(value: T | undefined): value is T {
  return value !== undefined;
}

/** The nodes that the user chose: all suites where nothing in particular. */
async function chosenNodes({ tests }: RunWorld, request: vscode.TestRunRequest): Promise<TestNode[]> {
  if (request.include) return request.include.map((item) => tests.nodeOf(item)).filter(isPresent);
  return (await tests.suites()).map((suite) => ({ kind: 'suite', suite }));
}

/** What is to be run, suite by suite. */
async function plansOf(world: RunWorld, choice: Choice, request: vscode.TestRunRequest): Promise<Plan[]> {
  const { tests } = world;
  const nodes = await chosenNodes(world, request);
  const excluded = (request.exclude ?? []).map((item) => tests.nodeOf(item)).filter(isPresent);
  const plans: Plan[] = [];
  for (const suite of new Set(nodes.map((node) => node.suite)))
    try {
      // Lines of questions are made when there is something to tell of them.
      await suite.showDatabases();
      if (choice === 'failures') await tests.recall(suite);
      const wanted = idsOf(suite, nodes);
      const unwanted = idsOf(suite, excluded);
      const meant = suite.itemsOf({ kind: 'suite', suite }).filter(({ id }) => wanted.has(id) && !unwanted.has(id));
      plans.push({ suite, ...chooseFor(choice, meant, (id) => suite.lastOf(id)?.outcome), problem: null });
    } catch (error) {
      plans.push({ suite, items: [], note: null, problem: toWireError(error).message });
    }
  return plans;
}

/** The items of a suite that some of its lines stand for. */
function idsOf(suite: Suite, nodes: readonly TestNode[]): Set<string> {
  const own = nodes.filter((node) => node.suite === suite);
  return new Set(own.flatMap((node) => suite.itemsOf(node).map(({ id }) => id)));
}

/**
 * Runs the questions that a user chose in the Test Explorer, suite by suite, each in a process of its own, and tells VS
 * Code what comes of each. Never throws: what failed is shown.
 */
export async function runRequest(
  world: RunWorld,
  choice: Choice,
  request: vscode.TestRunRequest,
  signals: readonly AbortSignal[],
): Promise<void> {
  const { ctx, controller } = world;
  try {
    ctx.requireTrust('Running evaluations');
    const plans = await plansOf(world, choice, request);
    const count = plans.reduce((sum, { items }) => sum + items.length, 0);
    if (choice === 'failures' && count === 0) tellNoFailures();
    const run = controller.createTestRun(request, undefined, count <= MANY);
    const signal = AbortSignal.any([...signals, signalOf(run.token)]);
    try {
      for (const plan of plans) await runPlan(ctx, run, plan, count > MANY, signal);
    } finally {
      run.end();
    }
  } catch (error) {
    if (!isSilent(error)) reportError(ctx, 'Run tests', error);
  }
}

function tellNoFailures(): void {
  void vscode.window.showInformationMessage(
    'No item is known to have failed when it was run last: there is nothing to run.',
  );
}

async function runPlan(ctx: Ctx, run: vscode.TestRun, plan: Plan, brief: boolean, signal: AbortSignal): Promise<void> {
  const { suite, items, note, problem } = plan;
  const name = suite.item.label;
  if (problem !== null) run.errored(suite.item, new vscode.TestMessage(problem));
  if (note !== null) run.appendOutput(outputText(`${name}: ${note}\n`));
  if (items.length === 0) return;
  const telling = new EvalTelling(run, suite, brief);
  const folder = await mkdtemp(join(tmpdir(), 'sql-agent-tests-'));
  try {
    const ids = join(folder, 'ids.txt');
    await writeFile(ids, items.map(({ id }) => `${id}\n`).join(''));
    const isAll = items.length === suite.itemsOf({ kind: 'suite', suite }).length;
    await runChild(ctx, suite, isAll ? null : ids, (event) => telling.take(event), signal);
  } finally {
    await telling.end();
    await rm(folder, { recursive: true, force: true });
  }
}

async function runChild(
  ctx: Ctx,
  { source }: Suite,
  ids: string | null,
  onEvent: (event: EvalEvent) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { folder, uri, databases } = source;
  const model = await ctx.modelChoice();
  const key = model.provider === 'openai' ? await ctx.serverKey(model.address) : null;
  const settings = ctx.config.ask(folder.uri);
  const results = resultsFolderOf(ctx, folder);
  const words = evalWords({ dataset: uri.fsPath, databases, ids, results, model, settings });
  ctx.log.info(`sql-agent ${words.join(' ')}`);
  const env = evalEnvironment(process.env, ctx.storage, key);
  const onOther = (line: string) => ctx.log.debug(`evaluation: ${line}`);
  await runEvalChild({ words, cwd: folder.uri.fsPath, env, onEvent, onOther }, signal);
}

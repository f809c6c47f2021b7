import * as vscode from 'vscode';
import { SUITE_ENDING } from '../../protocol/dataset.ts';
import type { Ctx } from '../ctx.ts';
import { registerTraceProfile } from '../debug/test-profile.ts';
import { TESTS } from '../ids.ts';
import type { Choice } from './choose.ts';
import type { EvalTests } from './provider.ts';

/** The ways to run, by the names that people see; the first is what the buttons do. */
const PROFILES: readonly [string, Choice][] = [
  ['Sample 50', 'sample'],
  ['All', 'all'],
  ['Failures only', 'failures'],
];

/** Registers the Test Explorer's "SQL evals". Files are looked for once the tests are shown or a suite file is opened. */
export function registerTests(ctx: Ctx): void {
  const controller = ctx.own(vscode.tests.createTestController(TESTS, 'SQL evals'));
  let loading: Promise<EvalTests> | null = null;
  const load = () => {
    loading ??= import('./provider.ts').then(({ EvalTests }) => ctx.own(new EvalTests(ctx, controller)));
    return loading;
  };
  controller.resolveHandler = async (item) => (await load()).resolve(item);
  controller.refreshHandler = async () => (await load()).refresh();
  for (const [label, choice] of PROFILES) {
    const run = async (request: vscode.TestRunRequest, token: vscode.CancellationToken) =>
      (await load()).run(choice, request, token);
    controller.createRunProfile(label, vscode.TestRunProfileKind.Run, run, choice === 'sample');
  }
  registerTraceProfile(ctx, controller, load);
  const show = async (document: vscode.TextDocument) => {
    if (mayHaveQuestions(ctx, document)) await (await load()).showFile(document.uri);
  };
  ctx.own(vscode.workspace.onDidOpenTextDocument((document) => void show(document)));
  for (const document of vscode.workspace.textDocuments) void show(document);
  ctx.own(
    ctx.suiteWritten.event(async (uri) => {
      if (loading !== null) (await load()).written(uri);
    }),
  );
}

/** True for a suite file, and in a folder whose settings name datasets for every file: the provider knows which they are. */
function mayHaveQuestions(ctx: Ctx, { uri }: vscode.TextDocument): boolean {
  if (uri.scheme !== 'file') return false;
  return uri.path.endsWith(SUITE_ENDING) || ctx.config.get('evals.datasets', uri).length > 0;
}

import type { Ctx } from './ctx.ts';

/** A command's function; loaded when it is called, so that activation costs nothing. Arguments come from menus and links: parse them. */
export type Command = (ctx: Ctx, ...args: readonly unknown[]) => unknown;

/** Every command of the extension, by identifier. The manifest declares the same; a test compares the two. */
export const COMMANDS = {
  'sqlAgent.ask': async (ctx, database, question) =>
    (await import('./ask/commands.ts')).askDatabase(ctx, database, question),
  'sqlAgent.whyWrong': async (ctx, database, query) =>
    (await import('./diagnosis/commands.ts')).whyWrong(ctx, database, query),
  'sqlAgent.chooseModel': async (ctx) => (await import('./models/commands.ts')).chooseModel(ctx),
  'sqlAgent.openTestItem': async (_ctx, clicked) => (await import('./tests/commands.ts')).openTestItem(clicked),
  'sqlAgent.openDatabase': async (ctx, database, table) =>
    (await import('./databases/commands.ts')).openDatabase(ctx, database, table),
  'sqlAgent.openSample': async (ctx) => (await import('./databases/commands.ts')).openSample(ctx),
  'sqlAgent.refreshDatabases': (ctx) => ctx.refreshDatabases.fire(),
  'sqlAgent.showLog': (ctx) => ctx.log.show(),
  'sqlAgent.runEvaluation': async (ctx) => (await import('./runs/commands.ts')).runEvaluation(ctx),
  'sqlAgent.stopEvaluation': async (ctx, run) => (await import('./runs/commands.ts')).stopEvaluation(ctx, run),
  'sqlAgent.resumeRun': async (ctx, run) => (await import('./runs/commands.ts')).resumeRun(ctx, run),
  'sqlAgent.compareRuns': async (ctx) => (await import('./runs/commands.ts')).compareRuns(ctx),
  'sqlAgent.compareRunWith': async (ctx, run) => (await import('./runs/commands.ts')).compareRunWith(ctx, run, null),
  'sqlAgent.openReport': async (ctx, run) => (await import('./runs/commands.ts')).openReport(ctx, run),
  'sqlAgent.openRunItem': async (ctx, run, item) => (await import('./runs/commands.ts')).openRunItem(ctx, run, item),
  'sqlAgent.copyRunId': async (ctx, run) => (await import('./runs/commands.ts')).copyRunId(ctx, run),
  'sqlAgent.revealRun': async (ctx, run) => (await import('./runs/commands.ts')).revealRun(ctx, run),
  'sqlAgent.refreshRuns': (ctx) => ctx.refreshRuns.fire(),
  'sqlAgent.train': async (ctx) => (await import('./train/commands.ts')).train(ctx),
  'sqlAgent.openTraining': async (ctx, run) => (await import('./train/commands.ts')).openTraining(ctx, run),
  'sqlAgent.stopTraining': async (ctx, run) => (await import('./train/commands.ts')).wishOf(ctx, run, 'stop'),
  'sqlAgent.saveTraining': async (ctx, run) => (await import('./train/commands.ts')).wishOf(ctx, run, 'checkpoint'),
  'sqlAgent.resumeTraining': async (ctx, run) => (await import('./train/commands.ts')).resumeRun(ctx, run),
  'sqlAgent.askWithAdapter': async (ctx, run) => (await import('./train/use-adapter.ts')).askWithAdapter(ctx, run),
  'sqlAgent.evaluateAdapter': async (ctx, run) => (await import('./train/use-adapter.ts')).evaluateAdapter(ctx, run),
  'sqlAgent.compareTraining': async (ctx, run) => (await import('./train/commands.ts')).compareTraining(ctx, run),
  'sqlAgent.revealTraining': async (ctx, run) => (await import('./train/commands.ts')).revealTraining(ctx, run),
} as const satisfies Record<string, Command>;

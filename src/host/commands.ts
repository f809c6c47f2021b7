import type { Ctx } from './ctx.ts';

/** A command's function; loaded when it is called, so that activation costs nothing. Arguments come from menus and links: parse them. */
export type Command = (ctx: Ctx, ...args: readonly unknown[]) => unknown;

/** Every command of the extension, by identifier. The manifest declares the same; a test compares the two. */
export const COMMANDS = {
  'sqlAgent.ask': async (ctx, database, question) =>
    (await import('./ask/commands.ts')).askDatabase(ctx, database, question),
  'sqlAgent.chooseModel': async (ctx) => (await import('./models/commands.ts')).chooseModel(ctx),
  'sqlAgent.openTestItem': async (_ctx, clicked) => (await import('./tests/commands.ts')).openTestItem(clicked),
  'sqlAgent.openDatabase': async (ctx, database, table) =>
    (await import('./databases/commands.ts')).openDatabase(ctx, database, table),
  'sqlAgent.openSample': async (ctx) => (await import('./databases/commands.ts')).openSample(ctx),
  'sqlAgent.refreshDatabases': (ctx) => ctx.refreshDatabases.fire(),
  'sqlAgent.showLog': (ctx) => ctx.log.show(),
} as const satisfies Record<string, Command>;

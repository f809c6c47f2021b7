import { itemWithoutSql } from '../../runtime/diagnose/errors.ts';
import type { Ctx } from '../ctx.ts';
import { databaseOfItem } from '../runs/databases.ts';
import { itemGone } from '../runs/errors.ts';

/**
 * What is launched for an item of a run: its query beside its gold.
 * @throws AppError where the run or the item is gone, the item has no SQL, or its database is not found
 */
export async function launchOfRunItem(ctx: Ctx, runId: string, itemId: string) {
  const { store } = await ctx.runs();
  const run = await store.find(runId);
  const record = (await store.records(run)).find(({ id }) => id === itemId);
  if (record === undefined) throw itemGone(runId, itemId);
  if (record.sql === null) throw itemWithoutSql(runId, itemId, record.outcome);
  const database = await databaseOfItem(ctx, run, await store.fileOf(run), record);
  return { sql: record.sql, gold: record.gold, database };
}

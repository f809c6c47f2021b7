import type { LaunchArguments } from '../../protocol/dap.ts';
import { RunItems } from '../diagnose/run-items.ts';
import { resultsFolder } from '../evals/results-folder.ts';
import { loadRun } from '../evals/run-of.ts';
import { Ledger } from '../store/ledger.ts';

/**
 * A launch that names an item of a run, with the item's query, gold and database in its place; any other as it is.
 * @throws AppError where there is no such run or item, the item has no SQL, or its database is not found
 */
export async function launchOfItem(
  launch: LaunchArguments,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<LaunchArguments> {
  const { run, item, program, sql } = launch;
  if (run === undefined || item === undefined || program !== undefined || sql !== undefined) return launch;
  const loaded = await loadRun(new Ledger(resultsFolder(launch.results, env, cwd)), run, cwd);
  const { record, pred, db } = await new RunItems(loaded, null).item(item);
  return { ...launch, sql: pred, gold: launch.gold ?? record.gold, database: launch.database ?? db };
}

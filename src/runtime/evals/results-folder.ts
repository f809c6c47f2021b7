import { resolve } from 'node:path';

/**
 * The folder of runs and their ledger, as an absolute path.
 *
 * @param given what the user named (`--results`, a setting); else the environment's SQL_AGENT_RESULTS, else `results` in `cwd`
 */
export function resultsFolder(given: string | undefined, env: Record<string, string | undefined>, cwd: string): string {
  return resolve(cwd, given || env['SQL_AGENT_RESULTS'] || 'results');
}

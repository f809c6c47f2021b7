import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';

/** Files of this bundle's folder to run: all, or those whose name has the text of `SQL_AGENT_ONLY` in it. */
function testFiles(folder: string): string[] {
  const only = process.env['SQL_AGENT_ONLY'] ?? '';
  return readdirSync(folder).filter((name) => name.endsWith('.test.cjs') && name.includes(only));
}

function writeCounts({ passes, failures, pending }: Mocha.Stats): void {
  const file = process.env['SQL_AGENT_COUNTS'];
  if (file) appendFileSync(file, `${JSON.stringify({ passed: passes, failed: failures, skipped: pending })}\n`);
}

/** Begins a line of the report, which scripts/workbench/inside.ts tells from all else that VS Code writes. */
const REPORT = '\u2063';

/**
 * Called by VS Code's test runner in the extension host. A test that fails is tried once more, which the report says:
 * VS Code itself is late at times on a busy machine.
 */
export async function run(): Promise<void> {
  const write = console.log;
  Mocha.reporters.Base.consoleLog = (...words: unknown[]) => write(`${REPORT}${format(...words)}`);
  const mocha = new Mocha({ ui: 'bdd', timeout: 60_000, retries: 1, color: false, reporter: 'spec' });
  for (const file of testFiles(__dirname)) mocha.addFile(join(__dirname, file));
  const failed = await new Promise<number>((resolve) => {
    const runner = mocha.run((failures) => {
      if (runner.stats) writeCounts(runner.stats);
      resolve(failures);
    });
    runner.on('retry', (test: Mocha.Test, error: Error) =>
      Mocha.reporters.Base.consoleLog(`    tried again: ${test.title}: ${error.stack ?? error.message}`),
    );
  });
  if (failed > 0) throw new Error(`${failed} tests failed inside VS Code`);
}

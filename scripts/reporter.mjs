// Mocha's `spec` output plus one JSON line of counts in the file that SQL_AGENT_COUNTS names, for scripts/test.mjs.
import { appendFileSync } from 'node:fs';
import Mocha from 'mocha';

export default class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    // Only suites that drive a window ask for it (--retries): what came right the second time must be seen to have failed.
    runner.on('retry', (test, error) => console.log(`    tried again: ${test.title}: ${error.stack ?? error.message}`));
    const file = process.env.SQL_AGENT_COUNTS;
    if (!file) return;
    runner.once('end', () => {
      const { passes, failures, pending } = this.stats;
      appendFileSync(file, `${JSON.stringify({ passed: passes, failed: failures, skipped: pending })}\n`);
    });
  }
}

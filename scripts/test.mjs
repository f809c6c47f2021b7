// `npm test`: set-up, then every check. The last line is `N passed, N failed, N skipped` summed over all runners.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installBrowser, installPackages, installVsCode, nodePath, root } from './setup.mjs';

installPackages('test');
const node = nodePath();
const scratch = mkdtempSync(join(tmpdir(), 'sql-agent-test-'));
const total = { passed: 0, failed: 0, skipped: 0 };

function run(title, args, env = {}) {
  console.log(`\n== ${title}`);
  const started = Date.now();
  const done = spawnSync(node, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
  console.log(`== ${title}: ${done.status === 0 ? 'ok' : 'FAILED'} in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return done.status === 0;
}

/** A check that counts as one test. */
function check(title, args) {
  total[run(title, args) ? 'passed' : 'failed'] += 1;
}

/** A runner that writes its own counts. One that dies before it wrote any counts as a failure. */
function suite(title, args, env = {}) {
  const file = join(scratch, `${title.replaceAll(/\W+/g, '-')}.jsonl`);
  const ok = run(title, args, { ...env, SQL_AGENT_COUNTS: file });
  let failed = 0;
  try {
    for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
      const counts = JSON.parse(line);
      for (const key of Object.keys(total)) total[key] += counts[key];
      failed += counts.failed;
    }
  } catch {
    // No counts were written: the runner died; `ok` says so.
  }
  if (!ok && failed === 0) total.failed += 1;
}

/** The tests that need a real VS Code and a browser. Without a browser they count as failed, unless they were left out. */
function workbenchSuites() {
  if (process.env.SQL_AGENT_SKIP_BROWSER === '1') {
    console.log('\n== inside VS Code, and what a person sees: left out by SQL_AGENT_SKIP_BROWSER');
    total.skipped += 2;
    return;
  }
  const missing = installBrowser();
  if (missing !== null) {
    console.log(`\n== inside VS Code, and what a person sees: FAILED. ${missing}`);
    total.failed += 2;
    return;
  }
  installVsCode();
  suite('inside VS Code', ['scripts/workbench/inside.ts']);
  suite('what a person sees', mocha('--retries', '1', 'test/workbench/see/**/*.test.ts'));
}

const mocha = (...files) => ['node_modules/mocha/bin/mocha.js', '--reporter', 'scripts/reporter.mjs', ...files];

check('types', ['node_modules/typescript/bin/tsc', '-p', '.']);
check('types of core and protocol, without node and DOM', ['node_modules/typescript/bin/tsc', '-p', 'src/core']);
check('types of the webviews', ['node_modules/typescript/bin/tsc', '-p', 'webview-ui']);
check('lint', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']);
suite('layers', mocha('test/layers.test.ts'));
suite('unit', mocha('test/unit/**/*.test.ts'));
suite('golden', mocha('test/golden/**/*.test.ts'));
suite('trainer', mocha('test/trainer/**/*.test.ts'));
check('build', ['scripts/build.mjs', '--tests']);
workbenchSuites();

rmSync(scratch, { recursive: true, force: true });
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed === 0 ? 0 : 1);

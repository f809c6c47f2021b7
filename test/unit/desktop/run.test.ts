import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Runs `test:desktop` with a program in the place of VS Code that writes down how it was called and ends with `code`. */
function runDesktop(folder: string, code: number) {
  const program = join(folder, 'code');
  const called = join(folder, 'called');
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" "home=$SQL_AGENT_HOME" > '${called}'\nexit ${code}\n`);
  chmodSync(program, 0o755);
  const words = [join(root, 'test/desktop/run.ts'), '--vscodeExecutablePath', program];
  const { status } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  return { status, called: readFileSync(called, 'utf8').trim().split('\n') };
}

describe('npm run test:desktop', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sql-agent-desktop-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('runs the suite of the workbench tests in the VS Code that is named, away from the own storage', function () {
    if (process.platform === 'win32') this.skip();
    const { status, called } = runDesktop(folder, 0);
    assert.equal(status, 0);
    assert.ok(called.includes(`--extensionTestsPath=${join(root, 'dist-test/run.cjs')}`));
    assert.ok(called.includes(`--extensionDevelopmentPath=${root}`));
    assert.match(called.at(-1) ?? '', /^home=.*sql-agent-desktop-/);
  });

  it('fails where the suite fails', function () {
    if (process.platform === 'win32') this.skip();
    assert.notEqual(runDesktop(folder, 1).status, 0);
  });
});

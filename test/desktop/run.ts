// `npm run test:desktop [-- --vscodeExecutablePath PATH]`: the suite of test/workbench inside a desktop VS Code. Without a
// path (flag, or the variable VSCODE_EXECUTABLE_PATH) @vscode/test-electron downloads the stable one into .vscode-test/.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runTests } from '@vscode/test-electron';
import { makeWorkspace, testEnvironment } from '../../scripts/workbench/inside.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values } = parseArgs({ options: { vscodeExecutablePath: { type: 'string' } } });
const executable = values.vscodeExecutablePath ?? process.env['VSCODE_EXECUTABLE_PATH'];

const folder = mkdtempSync(join(tmpdir(), 'sql-agent-desktop-'));
try {
  const launchArgs = [makeWorkspace(folder), '--disable-extensions', '--disable-workspace-trust', '--skip-welcome'];
  launchArgs.push('--user-data-dir', join(folder, 'user'));
  // Chromium refuses its sandbox to root, as in a container.
  if (process.getuid?.() === 0) launchArgs.push('--no-sandbox');
  process.exitCode = await runTests({
    ...(executable ? { vscodeExecutablePath: executable } : { version: 'stable' }),
    extensionDevelopmentPath: root,
    extensionTestsPath: join(root, 'dist-test/run.cjs'),
    launchArgs,
    extensionTestsEnv: testEnvironment(folder),
  });
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

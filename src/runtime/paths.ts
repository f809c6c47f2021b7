import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** True when this module runs from its TypeScript source, false in a bundle under `dist/`. */
const fromSource = import.meta.url.endsWith('.ts');

/** The folder of package.json: two above `src/runtime`, one above `dist`. */
export const packageRoot = fileURLToPath(new URL(fromSource ? '../../' : '../', import.meta.url));

/** The programs that run as processes of their own, by source file; each is bundled to `dist/<name>.js`. */
const CHILDREN = {
  cli: 'src/cli/main.ts',
  'sandbox-child': 'src/runtime/sandbox/child.ts',
  'model-child': 'src/runtime/model/child.ts',
  'trainer-worker': 'python-free-trainer/src/backend/cpu/worker.ts',
  'trainer-engine': 'python-free-trainer/src/engine/thread/engine-thread.ts',
  trainer: 'python-free-trainer/src/cli.ts',
  'trainer-heartbeat': 'python-free-trainer/src/run/heartbeat-thread.ts',
  'trainer-compiler': 'python-free-trainer/src/gpu/compiler-child.ts',
} as const;
export type ChildName = keyof typeof CHILDREN;

/** The file to fork for a child process. */
export function childEntry(name: ChildName): string {
  return join(packageRoot, fromSource ? CHILDREN[name] : `dist/${name}.js`);
}

/**
 * Where Node may keep compiled modules of child processes, for NODE_COMPILE_CACHE; null in a bundle, which needs none.
 * From source it makes a child start in a third of the time: types are stripped once.
 */
export function compileCacheFolder(): string | null {
  return fromSource ? join(packageRoot, '.cache', 'compiled') : null;
}

/**
 * The user's storage folder, shared by the editor and the command line: models, caches, transcripts. `SQL_AGENT_HOME`
 * overrides it. Not created here.
 */
export function storageFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env['SQL_AGENT_HOME']) return env['SQL_AGENT_HOME'];
  if (process.platform === 'win32') return join(env['LOCALAPPDATA'] ?? homedir(), 'sql-agent-workbench');
  if (process.platform === 'darwin') return join(homedir(), 'Library/Application Support/sql-agent-workbench');
  return join(env['XDG_DATA_HOME'] ?? join(homedir(), '.local/share'), 'sql-agent-workbench');
}

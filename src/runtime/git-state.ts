import { execFile } from 'node:child_process';
import { isAbsolute, relative, sep } from 'node:path';
import { promisify } from 'node:util';

const TIMEOUT_MS = 10_000;
const run = promisify(execFile);

async function git(cwd: string, words: string[]): Promise<string> {
  // It must not take the index lock: somebody may be committing.
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0' };
  const { stdout } = await run('git', words, { cwd, env, timeout: TIMEOUT_MS, maxBuffer: 1 << 26 });
  return stdout.trim();
}

/** The pathspec of everything but `folder`, from the top of the working tree. */
function allBut(top: string, folder: string): string[] {
  const path = relative(top, folder);
  const isInside = path !== '' && !path.startsWith('..') && !isAbsolute(path);
  return isInside ? [':/', `:(top,exclude,literal)${path.split(sep).join('/')}`] : [':/'];
}

/**
 * The commit that is checked out where a run is started, and whether anything there differs from it. Results do not
 * count: a run would make the next one dirty.
 *
 * @param results the folder of results
 * @returns null where there is no git, no repository or no commit
 */
export async function gitState(cwd: string, results: string): Promise<{ commit: string; dirty: boolean } | null> {
  try {
    const [commit, top] = await Promise.all([
      git(cwd, ['rev-parse', '--verify', 'HEAD']),
      git(cwd, ['rev-parse', '--show-toplevel']),
    ]);
    const changed = await git(cwd, ['status', '--porcelain', '--', ...allBut(top, results)]);
    return { commit, dirty: changed !== '' };
  } catch {
    return null;
  }
}

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { ProcessIdentity } from '../../protocol/training.ts';
import { isAlive } from '../alive.ts';

/**
 * When a process started, in the words of the operating system: on Linux the clock ticks since the machine started (field
 * 22 of /proc/PID/stat, proc_pid_stat(5)), on macOS what `ps` prints; null elsewhere and where there is no such process, or
 * only what is left of one that nobody waits for.
 */
async function startOf(pid: number): Promise<string | null> {
  try {
    if (process.platform === 'linux') {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
      // The name in parentheses may hold spaces and parentheses itself.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' ? null : (fields[19] ?? null);
    }
    if (process.platform !== 'darwin') return null;
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]);
    return stdout.trim() || null;
  } catch {
    return null;
  }
}

/** What tells a process that runs now from a later one with the same number. */
export async function identityOf(pid: number): Promise<ProcessIdentity> {
  return { pid, start: await startOf(pid) };
}

/** Whether a process is still there: one that took over its number since does not count. */
export async function isSameProcess({ pid, start }: ProcessIdentity): Promise<boolean> {
  if (!isAlive(pid)) return false;
  // Where the start is not told, the number alone has to do.
  return start === null || (await startOf(pid)) === start;
}

import { existsSync, readFileSync } from 'node:fs';

/** Whether the memory of other processes can be told here. */
export function canSeeMemory(): boolean {
  return existsSync('/proc/self/status');
}

/** Resident memory of a process in bytes; null where it cannot be told (no such process, no /proc). */
export function residentBytes(pid: number): number | null {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return kibibytes === undefined ? null : Number(kibibytes) * 1024;
  } catch {
    return null;
  }
}

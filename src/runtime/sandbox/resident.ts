import { readFileSync } from 'node:fs';

/** Size of a memory page on the machines that Linux runs Node on by default. */
const PAGE_BYTES = 4096;

/** Resident memory of a process in bytes; null where it cannot be told (no such process, no /proc). */
export function residentBytes(pid: number): number | null {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ');
    return Number(pages) * PAGE_BYTES;
  } catch {
    return null;
  }
}

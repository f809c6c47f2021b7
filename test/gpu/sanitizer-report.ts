// compute-sanitizer: where it is on a machine, and what it says.
import { accessSync, constants } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { findLibrary, thisMachine } from '../../python-free-trainer/src/ffi/libraries.ts';

/** What one run of the tool found. */
export interface SanitizerReport {
  /** Errors by its own count; null: it did not come to count any. */
  errors: number | null;
  /** What was found where, by kernel, with how often it is told (the tool stops telling after some). */
  found: Record<string, number>;
  /** Where it did not work: its own words. */
  words: string[];
}

/** Lines that say that the tool did not see the program, or not all of it. */
const BLIND =
  /not supported|Internal Sanitizer Error|before first instrumented API call|No attachable process|Unable to |Failed to |could not |version mismatch|Timed out|communication error/i;
/** First lines of what it tells of an error, each with the place in a line below or in itself. */
const FINDING =
  /^(Invalid __\w+__ \w+|Potential invalid __\w+__ \w+|Uninitialized __\w+__ memory read|Barrier error|Program hit .*|Malloc\/Free error|(?:ERROR|WARNING|Error|Warning): (?:Race reported|Potential \w+ hazard))/;

/** Reads what it printed; lines of the program itself count for nothing. */
export function readSanitizer(output: string): SanitizerReport {
  const lines = output
    .split(/\r?\n/)
    .filter((line) => line.startsWith('========='))
    .map((line) => line.replace(/^=+ ?/, '').trim());
  const found: Record<string, number> = {};
  for (const [index, line] of lines.entries()) {
    const kind = FINDING.exec(line)?.[1];
    if (kind === undefined) continue;
    const place = [line, ...lines.slice(index + 1, index + 3)].map((text) => /(?:^| )at (?!__)(\w+)/.exec(text)?.[1]);
    const kernel = place.find((name) => name !== undefined);
    const key = kernel === undefined ? kind : `${kind} in ${kernel}`;
    found[key] = (found[key] ?? 0) + 1;
  }
  const words = lines.filter((line) => BLIND.test(line));
  const errors = words.length > 0 ? null : countOf(lines);
  // Nothing known was said: all that it did say may help.
  return { errors, found, words: errors === null && words.length === 0 ? lines.slice(0, 20) : words };
}

/** `ERROR SUMMARY: 2 errors`, `RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)`; all of them where there are several. */
function countOf(lines: readonly string[]): number | null {
  const summaries = lines.filter((line) => /\b(ERROR|RACECHECK) SUMMARY:/.test(line));
  if (summaries.length === 0) return null;
  return summaries.reduce((sum, line) => sum + Number(/SUMMARY:\s*([\d,]+)/.exec(line)?.[1]?.replaceAll(',', '')), 0);
}

/** The tool on the PATH, in a toolkit, or in a Python package; null where there is none. */
export function findSanitizer(env: NodeJS.ProcessEnv = process.env): { path: string | null; searched: string[] } {
  const told = env['COMPUTE_SANITIZER'];
  if (told !== undefined) return { path: isProgram(told) ? told : null, searched: [told] };
  const searched = [...(env['PATH'] ?? '').split(delimiter), ...beside(env)];
  const path = searched.map((folder) => join(folder, 'compute-sanitizer')).find(isProgram);
  return { path: path ?? null, searched };
}

/** Beside the folders in which libraries of CUDA are looked for. */
function beside(env: NodeJS.ProcessEnv): string[] {
  // A library that is found would end the search, and one that is named would be all of it.
  const { SQL_AGENT_CUDNN: _, ...rest } = env;
  const entries = (folder: string) => thisMachine.entries(folder).filter((name) => !name.startsWith('libcudnn'));
  const { searched } = findLibrary('cudnn', { ...thisMachine, env: rest, entries });
  const parents = [...new Set(searched.map((folder) => dirname(folder)))];
  return parents.flatMap((folder) => [join(folder, 'bin'), join(folder, 'compute-sanitizer')]);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

import { join } from 'node:path';
import { RUN_FILES } from '../protocol/training.ts';
import type { RunSnapshot } from '../runtime/trainer/run-reader.ts';
import { adapterUses } from '../runtime/trainer/use-adapter.ts';
import { typedPath } from './typed-path.ts';

/** What can be done with the adapter of a run that is done: the files, and commands to be typed. */
export function adapterLines({ folder, run }: RunSnapshot, cwd: string): string[] {
  const typed = typedPath(folder, cwd);
  const uses = run === null ? [] : adapterUses(typed, run);
  const width = Math.max(0, ...uses.map(({ what }) => what.length)) + 1;
  return [
    `Adapter: ${join(typed, RUN_FILES.adapter)} (PEFT), ${RUN_FILES.adapterGguf} beside it`,
    ...uses.map(({ what, command }) => `  ${`${what}:`.padEnd(width)} ${command}`),
  ];
}

import { harmless } from '../core/text/harmless.ts';
import type { Output } from './verb.ts';

/** Writes to the process's own streams. */
export function processOutput(jsonMode: boolean, env: NodeJS.ProcessEnv): Output {
  const { stdout, stderr } = process;
  const colour = !jsonMode && stdout.isTTY === true && env['NO_COLOR'] === undefined;
  return {
    jsonMode,
    colour,
    width: stdout.columns || 120,
    line: (text = '') => {
      if (!jsonMode) stdout.write(`${harmless(text, colour)}\n`);
    },
    write: (text) => {
      if (!jsonMode) stdout.write(harmless(text, colour));
    },
    log: (text) => stderr.write(`${harmless(text, false)}\n`),
    json: (value) => {
      if (jsonMode) stdout.write(`${JSON.stringify(value)}\n`);
    },
  };
}

import { harmless } from '../../../src/core/text/harmless.ts';
import type { Output } from './verb.ts';

/** Writes to the process's own streams. */
export function processOutput(jsonMode: boolean): Output {
  return {
    jsonMode,
    line: (text = '') => {
      if (!jsonMode) process.stdout.write(`${harmless(text, false)}\n`);
    },
    log: (text) => process.stderr.write(`${harmless(text, false)}\n`),
    json: (value) => {
      if (jsonMode) process.stdout.write(`${JSON.stringify(value)}\n`);
    },
  };
}

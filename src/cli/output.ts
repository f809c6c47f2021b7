import type { Output } from './verb.ts';

/** Writes to the process's own streams. */
export function processOutput(jsonMode: boolean, env: NodeJS.ProcessEnv): Output {
  const { stdout, stderr } = process;
  return {
    jsonMode,
    colour: !jsonMode && stdout.isTTY === true && env['NO_COLOR'] === undefined,
    width: stdout.columns ?? 120,
    line: (text = '') => {
      if (!jsonMode) stdout.write(`${text}\n`);
    },
    write: (text) => {
      if (!jsonMode) stdout.write(text);
    },
    log: (text) => stderr.write(`${text}\n`),
    json: (value) => {
      if (jsonMode) stdout.write(`${JSON.stringify(value)}\n`);
    },
  };
}

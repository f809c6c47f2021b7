#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, toWireError } from '../../src/protocol/errors.ts';
import { packageRoot } from '../../src/runtime/paths.ts';
import { processOutput } from './cli/output.ts';
import { EXIT, type ExitCode, type Output, UsageError, type Verb } from './cli/verb.ts';
import { parseWords } from './cli/words.ts';

/** Verbs are loaded when they are called, so that errors of usage cost nothing. */
const VERBS: Record<string, () => Promise<Verb>> = {
  doctor: async () => (await import('./cli/doctor.ts')).verb,
  train: async () => (await import('./cli/train.ts')).verb,
  eval: async () => (await import('./cli/eval.ts')).verb,
  inspect: async () => (await import('./cli/inspect.ts')).verb,
  export: async () => (await import('./cli/export.ts')).verb,
};

async function usage(): Promise<string> {
  const verbs = await Promise.all(Object.values(VERBS).map((load) => load()));
  const lines = verbs.map((verb) => `  ${verb.name.padEnd(8)} ${verb.summary}`);
  return `sql-agent-trainer: train adapters of language models, without Python.

Usage: sql-agent-trainer <verb> [arguments] [--json] [--help]
       sql-agent-trainer --version

Verbs:
${lines.join('\n')}

"sql-agent-trainer <verb> --help" explains one. Exit codes: 0 done, 1 failed, 2 wrong usage, 130 stopped before the end.`;
}

/** Aborts at Ctrl-C, SIGTERM and SIGHUP, and where what is printed goes nowhere; a second signal ends the process. */
function cancellation(): AbortSignal {
  const controller = new AbortController();
  const cancel = () => {
    if (controller.signal.aborted) process.exit(EXIT.cancelled);
    controller.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, cancel);
  process.stdout.on('error', () => controller.abort());
  process.stderr.on('error', () => undefined);
  return controller.signal;
}

function report(out: Output, error: unknown): ExitCode {
  const isUsage = error instanceof UsageError;
  const wire = isUsage ? { code: 'usage', message: error.message } : toWireError(error);
  out.json({ status: wire.code === 'cancelled' ? 'cancelled' : isUsage ? 'usage' : 'error', ...wire });
  if (!out.jsonMode) out.log(`sql-agent-trainer: ${wire.message}`);
  if (!(error instanceof AppError || isUsage) && process.env['SQL_AGENT_DEBUG'])
    out.log(error instanceof Error && error.stack ? error.stack : String(error));
  if (isUsage) return EXIT.usage;
  return wire.code === 'cancelled' ? EXIT.cancelled : EXIT.failed;
}

/** What a call asks of the program itself. */
async function about(name: string | undefined, out: Output): Promise<ExitCode | null> {
  if (name === '--version') {
    const { version } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8'));
    out.line(version);
    out.json({ status: 'ok', version });
    return EXIT.ok;
  }
  if (name !== undefined && name !== '--help' && name !== '-h' && name !== 'help') return null;
  const help = await usage();
  out.line(help);
  out.json({ status: name === undefined ? 'usage' : 'ok', help });
  return name === undefined ? EXIT.usage : EXIT.ok;
}

/** Runs one call. @param words the arguments behind the program's name */
async function main(words: string[]): Promise<ExitCode> {
  // The option goes before the verb too.
  const isFirst = words[0] === '--json';
  const [name, ...others] = isFirst ? words.slice(1) : words;
  const rest = isFirst ? [...others, '--json'] : others;
  const out = processOutput(words.includes('--json'));
  try {
    const answered = await about(name, out);
    if (answered !== null || name === undefined) return answered ?? EXIT.usage;
    const load = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
    if (!load) throw new UsageError(`there is no verb "${name}". "sql-agent-trainer --help" lists them.`);
    const verb = await load();
    const args = parseWords(verb, rest);
    if (args.values['help'] === true) {
      out.line(verb.help);
      out.json({ status: 'ok', help: verb.help });
      return EXIT.ok;
    }
    return await verb.run({ out, env: process.env, cwd: process.cwd(), signal: cancellation() }, args);
  } catch (error) {
    return report(out, error);
  }
}

process.exitCode = await main(process.argv.slice(2));

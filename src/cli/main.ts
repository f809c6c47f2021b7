#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AppError, toWireError } from '../protocol/errors.ts';
import { packageRoot } from '../runtime/paths.ts';
import { processOutput } from './output.ts';
import { EXIT, type ExitCode, type Output, UsageError, type Verb, type VerbArgs } from './verb.ts';

/** Verbs are loaded when they are called, so that `--help` and errors of usage cost nothing. */
const VERBS: Record<string, () => Promise<Verb>> = {
  ask: async () => (await import('./verbs/ask.ts')).verb,
  compare: async () => (await import('./verbs/compare.ts')).verb,
  dap: async () => (await import('./verbs/dap.ts')).verb,
  dataset: async () => (await import('./verbs/dataset.ts')).verb,
  diagnose: async () => (await import('./verbs/diagnose.ts')).verb,
  doctor: async () => (await import('./verbs/doctor.ts')).verb,
  eval: async () => (await import('./verbs/eval.ts')).verb,
  ledger: async () => (await import('./verbs/ledger.ts')).verb,
  link: async () => (await import('./verbs/link.ts')).verb,
  model: async () => (await import('./verbs/model.ts')).verb,
  report: async () => (await import('./verbs/report.ts')).verb,
  run: async () => (await import('./verbs/run.ts')).verb,
  schema: async () => (await import('./verbs/schema.ts')).verb,
  score: async () => (await import('./verbs/score.ts')).verb,
  split: async () => (await import('./verbs/split.ts')).verb,
  trace: async () => (await import('./verbs/trace.ts')).verb,
  train: async () => (await import('./verbs/train.ts')).verb,
};

async function usage(): Promise<string> {
  const verbs = await Promise.all(Object.values(VERBS).map((load) => load()));
  const lines = verbs.map((verb) => `  ${verb.name.padEnd(8)} ${verb.summary}`);
  return `sql-agent: ask a SQLite file a question, on your own machine, read-only.

Usage: sql-agent <verb> [arguments] [--json] [--help]
       sql-agent --version

Verbs:
${lines.join('\n')}

"sql-agent <verb> --help" explains one. Exit codes: 0 done, 1 failed, 2 wrong usage, 130 cancelled.`;
}

/** Aborts at Ctrl-C, and where what is printed goes nowhere; a second Ctrl-C ends the process. */
function cancelOnSignals(lost: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const cancel = () => {
    if (controller.signal.aborted) process.exit(EXIT.cancelled);
    controller.abort();
  };
  process.on('SIGINT', cancel);
  process.on('SIGTERM', cancel);
  return AbortSignal.any([controller.signal, lost]);
}

/**
 * Aborts when standard output takes nothing more: the reader of a pipe (`| head`) has gone, or the disk is full. What runs
 * then ends as at Ctrl-C, so that nothing half-done is left. Progress and notes that standard error does not take are lost
 * and stop nothing.
 */
function watchOutput(): AbortSignal {
  const controller = new AbortController();
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (controller.signal.aborted) return;
    if (error.code !== 'EPIPE') process.exitCode = EXIT.failed;
    controller.abort();
  });
  process.stderr.on('error', () => undefined);
  return controller.signal;
}

function report(out: Output, error: unknown): ExitCode {
  const status = error instanceof UsageError ? 'usage' : 'error';
  const wire = error instanceof UsageError ? { code: 'usage', message: error.message } : toWireError(error);
  out.json({ status: wire.code === 'cancelled' ? 'cancelled' : status, ...wire });
  if (!out.jsonMode) out.log(`sql-agent: ${wire.message}`);
  if (!(error instanceof AppError || error instanceof UsageError) && process.env['SQL_AGENT_DEBUG'])
    out.log(error instanceof Error && error.stack ? error.stack : String(error));
  if (error instanceof UsageError) return EXIT.usage;
  return wire.code === 'cancelled' ? EXIT.cancelled : EXIT.failed;
}

/**
 * Runs one call of `sql-agent`.
 * @param words the arguments behind the program's name
 * @param lost aborts when nothing more can be printed
 */
async function main(words: string[], lost: AbortSignal): Promise<ExitCode> {
  const [name, ...rest] = words;
  const out = processOutput(rest.includes('--json') || name === '--json', process.env);
  if (name === undefined || name === '--help' || name === 'help') {
    const text = await usage();
    out.line(text);
    if (name !== undefined) out.json({ status: 'ok', help: text });
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  if (name === '--version') {
    const { version } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8'));
    out.line(version);
    out.json({ status: 'ok', version });
    return EXIT.ok;
  }
  try {
    const load = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
    if (!load) throw new UsageError(`there is no verb "${name}". "sql-agent --help" lists them.`);
    const verb = await load();
    const args = parseWords(verb, rest);
    if (args.values['help'] === true) {
      out.line(verb.help);
      out.json({ status: 'ok', help: verb.help });
      return EXIT.ok;
    }
    return await verb.run({ out, env: process.env, cwd: workingFolder(), signal: cancelOnSignals(lost) }, args);
  } catch (error) {
    return report(out, error);
  }
}

/** @throws AppError where the folder was removed while the shell stood in it */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new AppError('working_folder', 'The folder that this runs in is there no more. Change to another folder.');
  }
}

/** Marks a word as no option for `parseArgs`; cannot occur in an argument of a process. */
const PLAIN = '\0';

/**
 * The options and positionals of a call. A word such as "-- a comment" or "-1" is no option: SQL may begin with two
 * dashes.
 */
function parseWords(verb: Verb, typed: string[]): VerbArgs {
  const words = withValues(verb, typed);
  const separator = words.indexOf('--');
  const marked = words.map((word, index) => {
    const isOption = /^(--[a-z][\w-]*(=|$)|-[a-z]$)/i.test(word);
    const behindSeparator = separator >= 0 && index > separator;
    return word.startsWith('-') && word !== '--' && !isOption && !behindSeparator ? PLAIN + word : word;
  });
  const unmarked = <T>(value: T): T | string =>
    typeof value === 'string' && value.startsWith(PLAIN) ? value.slice(1) : value;
  const parsed = parseMarked(verb, marked);
  const values = Object.entries(parsed.values).map(([name, value]) => [name, unmarked(value)]);
  return { positionals: parsed.positionals.map(unmarked), values: Object.fromEntries(values) };
}

/** Gives options whose value may be left out, and is, the value `-`. */
function withValues({ optionalValues = [] }: Verb, words: string[]): string[] {
  return words.map((word, index) => {
    const isBare = index + 1 === words.length || words[index + 1]?.startsWith('--') === true;
    return isBare && optionalValues.some((name) => word === `--${name}`) ? `${word}=-` : word;
  });
}

function parseMarked(verb: Verb, words: string[]) {
  try {
    const options = { ...verb.options, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
    return parseArgs({ args: words, options, allowPositionals: true, strict: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(/[.]?\s*(?:\n|[.] )/)[0] : String(error);
    throw new UsageError(`${reason}. "sql-agent ${verb.name} --help" lists the options.`);
  }
}

const code = await main(process.argv.slice(2), watchOutput());
process.exitCode ??= code;

import type { ParseArgsConfig } from 'node:util';

/** Exit codes of `sql-agent-trainer`, those of `sql-agent`. A run that was stopped before its end is `cancelled`. */
export const EXIT = { ok: 0, failed: 1, usage: 2, cancelled: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Where a verb writes. With `--json` only `json` reaches stdout. */
export interface Output {
  readonly jsonMode: boolean;
  /** A line for people on stdout; dropped in JSON mode. */
  line(text?: string): void;
  /** A line of progress or warning on stderr, in both modes. */
  log(text: string): void;
  /** A JSON line on stdout; dropped where JSON mode is off. One a call, except where a verb's help says otherwise. */
  json(value: unknown): void;
}

export interface VerbContext {
  out: Output;
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Aborted by Ctrl-C, SIGTERM, and where nothing takes what is printed. */
  signal: AbortSignal;
}

/** The parsed words of a call. */
export interface VerbArgs {
  positionals: string[];
  values: Record<string, string | boolean | (string | boolean)[] | undefined>;
}

/** One verb of `sql-agent-trainer`. `--help` and `--json` are added to every verb's options. */
export interface Verb {
  name: string;
  /** One line for the list of verbs. */
  summary: string;
  /** The text of `--help`: usage line, arguments, options, examples. */
  help: string;
  options: NonNullable<ParseArgsConfig['options']>;
  /** @throws UsageError for words that make no sense; AppError for what failed. */
  run(context: VerbContext, args: VerbArgs): Promise<ExitCode>;
}

/** The words of a call make no sense: exit code 2. */
export class UsageError extends Error {}

/** The string value of an option, or undefined. @throws UsageError where it is empty, e.g. a variable that is not set */
export function textOption(args: VerbArgs, name: string): string | undefined {
  const value = args.values[name];
  if (value === '') throw new UsageError(`The value of --${name} is empty.`);
  return typeof value === 'string' ? value : undefined;
}

/** A whole number from an option. @throws UsageError where it is not one or lies outside [min, max]. */
export function wholeOption(args: VerbArgs, name: string, min: number, max: number): number | undefined {
  const text = textOption(args, name);
  const value = Number(text);
  if (text !== undefined && (!/^\d+$/.test(text) || value < min || value > max))
    throw new UsageError(`--${name} takes a whole number from ${min} to ${max}, not "${text}".`);
  return text === undefined ? undefined : value;
}

/** A checkpoint of a run by its step, or the best one; null where the option is not given. @throws UsageError */
export function checkpointOption(args: VerbArgs): number | 'best' | null {
  const word = textOption(args, 'checkpoint');
  if (word === undefined) return null;
  if (word === 'best') return word;
  if (!/^\d{1,9}$/.test(word)) throw new UsageError(`--checkpoint takes a step or "best", not "${word}".`);
  return Number(word);
}

/** The one word that a verb takes beside its options. @param what it names, for the message, e.g. "a run directory" */
export function onlyWord({ positionals }: VerbArgs, verb: string, what: string): string {
  const [word, ...others] = positionals;
  if (word === undefined || word === '' || others.length > 0) throw new UsageError(`${verb} takes ${what}, one.`);
  return word;
}

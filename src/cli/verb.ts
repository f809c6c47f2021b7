import type { ParseArgsConfig } from 'node:util';

/** Exit codes of `sql-agent`. */
export const EXIT = { ok: 0, failed: 1, usage: 2, cancelled: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Where a verb writes. With `--json` only `json` reaches stdout and everything for people is dropped or goes to stderr. */
export interface Output {
  readonly jsonMode: boolean;
  /** True where stdout is a terminal that shows colours. */
  readonly colour: boolean;
  /** Width of the terminal in columns; 120 where it is none. */
  readonly width: number;
  /** A line for people on stdout; dropped in JSON mode. */
  line(text?: string): void;
  /** Text without a line feed for people on stdout; dropped in JSON mode. */
  write(text: string): void;
  /** A line of progress or warning on stderr, in both modes. */
  log(text: string): void;
  /** The one JSON object of the call; dropped where JSON mode is off. */
  json(value: unknown): void;
}

export interface VerbContext {
  out: Output;
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Aborted by Ctrl-C and SIGTERM. */
  signal: AbortSignal;
}

export type OptionsConfig = NonNullable<ParseArgsConfig['options']>;

/** The parsed words of a call. */
export interface VerbArgs {
  positionals: string[];
  values: Record<string, string | boolean | (string | boolean)[] | undefined>;
}

/** One verb of `sql-agent`. `--help` and `--json` are added to every verb's options. */
export interface Verb {
  name: string;
  /** One line for the list of verbs. */
  summary: string;
  /** The text of `--help`: usage line, arguments, options, examples. */
  help: string;
  options: OptionsConfig;
  /** Options whose value may be left out: it is `-` then, which stands for stdout. */
  optionalValues?: readonly string[];
  /** @throws UsageError for words that make no sense; AppError for what failed. */
  run(context: VerbContext, args: VerbArgs): Promise<ExitCode>;
}

/** The words of a call make no sense: exit code 2. */
export class UsageError extends Error {}

/** The string value of an option, or undefined. */
export function stringOption(args: VerbArgs, name: string): string | undefined {
  const value = args.values[name];
  return typeof value === 'string' ? value : undefined;
}

/** A word that names a file. @throws UsageError where it is empty, e.g. a variable of the shell that is not set */
export function fileWord(word: string, what: string): string {
  if (word === '') throw new UsageError(`${what} is empty. Name a file.`);
  return word;
}

/** The path that an option names, or undefined. @throws UsageError where it is empty */
export function fileOption(args: VerbArgs, name: string): string | undefined {
  const word = stringOption(args, name);
  return word === undefined ? undefined : fileWord(word, `The value of --${name}`);
}

/** A whole number from an option. @throws UsageError where it is not one or lies outside [min, max]. */
export function integerOption(args: VerbArgs, name: string, min: number, max: number): number | undefined {
  const text = stringOption(args, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new UsageError(`--${name} takes a whole number from ${min} to ${max}, not "${text}".`);
  return value;
}

/** One of a closed list from an option. @throws UsageError where it is not in the list. */
export function choiceOption<T extends string>(args: VerbArgs, name: string, choices: readonly T[]): T | undefined {
  const text = stringOption(args, name);
  if (text === undefined) return undefined;
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined) throw new UsageError(`--${name} takes one of ${choices.join(', ')}, not "${text}".`);
  return choice;
}

import { parseArgs } from 'node:util';
import { UsageError, type Verb, type VerbArgs } from './verb.ts';

/** The options and positionals of a call. @throws UsageError for an option that the verb does not know */
export function parseWords(verb: Verb, words: string[]): VerbArgs {
  const options = { ...verb.options, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
  try {
    const { positionals, values } = parseArgs({ args: words, options, allowPositionals: true });
    return { positionals, values };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(/[.]?\s*(?:\n|[.] )/)[0] : String(error);
    throw new UsageError(`${reason}. "sql-agent-trainer ${verb.name} --help" lists the options.`);
  }
}

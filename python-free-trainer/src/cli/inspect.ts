import { resolve } from 'node:path';
import type { Description } from '../inspect/description.ts';
import { inspectModel } from '../inspect/inspect.ts';
import { describedLines } from '../inspect/text.ts';
import { EXIT, onlyWord, textOption, UsageError, type Verb, type VerbArgs } from './verb.ts';

const HELP = `Usage: sql-agent-trainer inspect MODEL [--check] [--json]
       sql-agent-trainer inspect ADAPTER [--base MODEL] [--json]

Describes a model (a GGUF file, or a folder with config.json and safetensors files) or an adapter (a PEFT folder, or a GGUF
file): architecture, sizes, types of tensors, tokenizer, chat template, metadata. What cannot be trained is said with the
reason.

Options:
  --check        read all weights of a model: its SHA-256, and that every number is finite
  --base MODEL   read an adapter whole and say whether it fits this model
  --json         one JSON object

Examples:
  sql-agent-trainer inspect qwen3-4b/
  sql-agent-trainer inspect small.lora.gguf --base smollm2-135m-instruct.Q4_1.gguf`;

/** The description as `--json` prints it: names of the configuration in the spelling of all others. */
function jsonOf(description: Description): object {
  return description.kind === 'model' ? { ...description, config: inSnakeCase(description.config) } : description;
}

function inSnakeCase(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      inSnakeCase(item),
    ]),
  );
}

/** Options that mean nothing for what was described. @throws UsageError */
function needFitting({ values }: VerbArgs, { kind, path }: Description): void {
  if (kind === 'model' && values['base'] !== undefined)
    throw new UsageError(`--base is for adapters, and ${path} is a model. Leave it out, or name an adapter.`);
  if (kind === 'adapter' && values['check'] === true)
    throw new UsageError(
      `--check is for models, and ${path} is an adapter; --base MODEL reads it whole. Leave it out.`,
    );
}

/** `sql-agent-trainer inspect`. */
export const verb: Verb = {
  name: 'inspect',
  summary: 'describe a model or an adapter',
  help: HELP,
  options: { check: { type: 'boolean' }, base: { type: 'string' } },
  async run({ out, cwd, signal }, args) {
    const path = resolve(cwd, onlyWord(args, 'inspect', 'a model or an adapter'));
    const base = textOption(args, 'base');
    const description = await inspectModel(path, {
      base: base === undefined ? undefined : resolve(cwd, base),
      check: args.values['check'] === true,
      signal,
    });
    needFitting(args, description);
    for (const line of describedLines(description)) out.line(line);
    out.json({ status: 'ok', ...jsonOf(description) });
    return EXIT.ok;
  },
};

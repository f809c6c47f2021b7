import { resolve } from 'node:path';
import { EXPORT_FORMS, type ExportForm, exportAdapter } from '../export/export.ts';
import { findAdapter } from '../export/find-adapter.ts';
import {
  checkpointOption,
  EXIT,
  type ExitCode,
  onlyWord,
  textOption,
  UsageError,
  type Verb,
  type VerbArgs,
  type VerbContext,
} from './verb.ts';

const HELP = `Usage: sql-agent-trainer export RUN_DIR --to FORM --out PATH [--checkpoint N|best] [--base MODEL] [--json]
       sql-agent-trainer export ADAPTER --base MODEL --to FORM --out PATH [--json]

Writes an adapter in another form. Nothing that is there already is overwritten. Base, training data and run stand in the
metadata of what is written.

Arguments:
  RUN_DIR          a run directory: its final adapter, made for the base that it was trained on
  ADAPTER          a PEFT folder or a GGUF file

Options:
  --to FORM        peft          a folder as Hugging Face's PEFT writes it, float32
                   gguf          an adapter for llama.cpp, float16
                   merged-f16    base and adapter as one GGUF model
                   merged-q8_0   the same, 8 bits a weight
  --out PATH       the folder or file to write
  --checkpoint N   the checkpoint of step N of a run directory, or "best": the one of the lowest evaluation loss
  --base MODEL     the base model, a GGUF file or a Hugging Face folder
  --json           one JSON object

Examples:
  sql-agent-trainer export runs/first --to merged-q8_0 --out first.gguf
  sql-agent-trainer export runs/first --checkpoint best --to gguf --out first.lora.gguf
  sql-agent-trainer export small.lora.gguf --base smollm2.gguf --to peft --out small-peft`;

function required(args: VerbArgs, name: string, what: string): string {
  const value = textOption(args, name);
  if (value === undefined) throw new UsageError(`export needs --${name} ${what}.`);
  return value;
}

function formOption(args: VerbArgs): ExportForm {
  const word = required(args, 'to', EXPORT_FORMS.join('|'));
  const form = EXPORT_FORMS.find((known) => known === word);
  if (!form) throw new UsageError(`--to takes one of ${EXPORT_FORMS.join(', ')}, not "${word}".`);
  return form;
}

async function run({ out, cwd, signal }: VerbContext, args: VerbArgs): Promise<ExitCode> {
  const what = resolve(cwd, onlyWord(args, 'export', 'a run directory or an adapter'));
  const to = formOption(args);
  const path = resolve(cwd, required(args, 'out', 'PATH'));
  const adapter = await findAdapter(what, checkpointOption(args));
  const base = textOption(args, 'base') ?? adapter.record?.config.model.base;
  if (base === undefined) throw new UsageError('export of an adapter needs --base MODEL.');
  const exported = await exportAdapter({ adapter, base: resolve(cwd, base), to, out: path, signal });
  for (const warning of exported.warnings) out.log(`warning: ${warning}`);
  const { about, warnings } = exported;
  const { r, pairs } = exported.adapter;
  out.line(`${path}: ${to}, rank ${r}, ${pairs.length} linear layers, for ${about.baseName}`);
  out.json({
    status: 'ok',
    path,
    to,
    r,
    base: { name: about.baseName, sha256: about.baseFile.sha256 },
    data_sha256: about.dataHash,
    run_id: about.runId,
    warnings,
  });
  return EXIT.ok;
}

/** `sql-agent-trainer export`. */
export const verb: Verb = {
  name: 'export',
  summary: 'write an adapter as PEFT, as GGUF, or merged into its base',
  help: HELP,
  options: {
    to: { type: 'string' },
    out: { type: 'string' },
    base: { type: 'string' },
    checkpoint: { type: 'string' },
  },
  run,
};

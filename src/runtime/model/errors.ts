import { AppError } from '../../protocol/errors.ts';

/** Size for people, in MB or GB of 10^6 and 10^9 bytes. */
export function readableBytes(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(2)} GB`;
  if (bytes >= 1e6) return `${(bytes / 1e6).toFixed(1)} MB`;
  return `${Math.ceil(bytes / 1e3)} kB`;
}

export function cancelled(what: string, text = ''): AppError {
  return new AppError('cancelled', `${what} was cancelled.`, { text });
}

export function partMissing(path: string): AppError {
  return new AppError(
    'model_part_missing',
    `A part of the bundled model is missing: ${path}. Restore it (e.g. "git checkout models") or install the program again.`,
    { path },
  );
}

export function partDamaged(path: string, reason: string): AppError {
  return new AppError(
    'model_part_damaged',
    `A part of the bundled model is damaged: ${path} (${reason}). Restore it (e.g. "git checkout models") or install the program again.`,
    { path, reason },
  );
}

export function fileDamaged(path: string, reason: string, remedy: string): AppError {
  return new AppError('model_file_damaged', `The model file ${path} is not what it should be (${reason}). ${remedy}`, {
    path,
    reason,
  });
}

export function fileUnreadable(path: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AppError(
    'model_file_unreadable',
    `The file ${path} cannot be read (${reason}). Check the path and its permissions.`,
    { path, reason },
  );
}

export function notPulled(model: string): AppError {
  return new AppError(
    'model_not_pulled',
    `The model "${model}" is not on this machine yet. Fetch it with "sql-agent model pull ${model}".`,
    { model },
  );
}

export function bundledAlready(model: string): AppError {
  return new AppError(
    'model_bundled',
    `The model "${model}" comes with the program and needs no download. "sql-agent model verify ${model}" checks it.`,
    { model },
  );
}

export function adapterMissing(model: string, path: string): AppError {
  return new AppError(
    'model_adapter_missing',
    `The adapter of "${model}" is missing: ${path} did not come with this copy of the program. Give the file with "sql-agent model pull ${model} --adapter FILE".`,
    { model, path },
  );
}

const GIVE_ADAPTER =
  'Give an adapter as a GGUF file, such as adapter.gguf of a training run; "sql-agent-trainer export" writes one of a checkpoint or a PEFT folder.';

export function adapterAbsent(path: string): AppError {
  return new AppError('adapter_missing', `${path} is not there. ${GIVE_ADAPTER}`, { path });
}

/** @param what is the matter with it, a sentence without its subject */
export function adapterUnusable(path: string, what: string): AppError {
  return new AppError('adapter_unusable', `${path} ${what}. ${GIVE_ADAPTER}`, { path });
}

/** @param base the model that it was trained for, for people @param fitting the local model that it fits; null: none */
export function adapterOfOtherModel(path: string, base: string, name: string, fitting: string | null): AppError {
  const what = `The adapter ${path} was trained for`;
  return new AppError(
    'adapter_other_base',
    fitting === null
      ? `${what} ${base}, which is neither "small" nor "coder" as they answer here. Name an adapter of "${name}"; "sql-agent-trainer export" makes a model of this one and its base, which a server can answer with.`
      : `${what} "${fitting}", and the model asked for is "${name}". Name its own with --model ${fitting}, or an adapter of "${name}".`,
    { path, base, name },
  );
}

export function diskFull(folder: string, needed: number, free: number | null): AppError {
  const has = free === null ? 'it ran out of space' : `${readableBytes(free)} are free`;
  return new AppError(
    'disk_full',
    `The disk of ${folder} is too full: ${readableBytes(needed)} are needed and ${has}. Free some space, or set SQL_AGENT_HOME to a folder on another disk; nothing half-written was left.`,
    { folder, needed, free },
  );
}

export function storageUnwritable(folder: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AppError(
    'storage_unwritable',
    `The storage folder ${folder} cannot be written (${reason}). Make it writable, or set SQL_AGENT_HOME to a folder that is.`,
    { folder, reason },
  );
}

export function modelBusy(model: string): AppError {
  return new AppError(
    'model_busy',
    `Another process is fetching or removing the model "${model}" right now. Wait until it is done, then try again.`,
    { model },
  );
}

export function downloadFailed(url: string, reason: string, kept: number): AppError {
  const resume = kept > 0 ? `${readableBytes(kept)} are kept: the same command goes on from there.` : '';
  return new AppError(
    'download_failed',
    `The download from ${url} failed: ${reason}. Check the connection, give another address with --url, a file with --from FILE, or use --from pip. ${resume}`.trim(),
    { url, reason, kept },
  );
}

export function downloadWrong(url: string, reason: string): AppError {
  return new AppError(
    'download_wrong_file',
    `What ${url} serves is not the model file: ${reason}. Nothing was kept; give another address with --url or a file with --from FILE.`,
    { url, reason },
  );
}

export function pipMissing(tried: readonly string[]): AppError {
  return new AppError(
    'pip_missing',
    `"--from pip" needs Python 3 with pip, and none of ${tried.join(', ')} has it. Install it (on Debian: "apt install python3-pip"), or pull from the default address or with --from FILE.`,
    { tried },
  );
}

export function pipFailed(requirement: string, output: string): AppError {
  return new AppError(
    'pip_failed',
    `pip could not download ${requirement}: ${output.trim().split('\n').at(-1) ?? ''}. Check that a package index is reachable; the same command goes on from the pieces that are here.`,
    { requirement, output },
  );
}

export function wheelDamaged(path: string, reason: string): AppError {
  return new AppError(
    'wheel_damaged',
    `The wheel ${path} cannot be used: ${reason}. Run the same command again to fetch it anew.`,
    { path, reason },
  );
}

export function engineMissing(cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AppError(
    'provider_engine_missing',
    `The engine for local models does not run on this machine (${reason}). Install the packages again ("npm ci"), or choose a server with --provider openai.`,
    { platform: `${process.platform}-${process.arch}`, reason },
  );
}

export function loadFailed(model: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AppError(
    'provider_load_failed',
    `The local model "${model}" cannot be loaded (${reason}). Check its files with "sql-agent model verify ${model}" and that enough memory is free.`,
    { model, reason },
  );
}

/** A model that was loaded, and then not made ready together with an adapter. */
export function adapterNotTaken(model: string, adapter: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AppError(
    'provider_load_failed',
    `The local model "${model}" does not run with the adapter ${adapter} (${reason}). The adapter is for another model or damaged, or memory is short: "sql-agent-trainer inspect" says what an adapter is, "sql-agent model verify ${model}" checks the model's own.`,
    { model, adapter, reason },
  );
}

export function evaluationFailed(model: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AppError(
    'provider_failed',
    `The local model "${model}" failed while it answered (${reason}). Ask again; if it happens again, "sql-agent doctor" shows what is installed.`,
    { model, reason },
  );
}

export function promptTooLong(model: string, promptTokens: number, contextTokens: number): AppError {
  return new AppError(
    'prompt_too_long',
    `The prompt has ${promptTokens} tokens, and the local model "${model}" can hold ${contextTokens} of prompt and answer on this machine. Send fewer tables (--link linked), or use a model with a longer context.`,
    { model, promptTokens, contextTokens },
  );
}

export function providerCrashed(model: string, how: string, log: string): AppError {
  return new AppError(
    'provider_crashed',
    `The process of the local model "${model}" ended unexpectedly (${how}). Ask again: it starts anew. If it happens again, memory may be short, or a model file damaged: "sql-agent model verify ${model}".`,
    { model, how, log },
  );
}

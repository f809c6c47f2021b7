import { AppError } from '../protocol/errors.ts';

/** Errors of the editor that a user sees. Codes are stable; `report.ts` shows them. */

/** The user stopped it: nothing to show. */
export const cancelled = () => new AppError('cancelled', 'Stopped.');

export const untrustedWorkspace = (what: string) =>
  new AppError(
    'untrusted_workspace',
    `${what} is off in Restricted Mode: this folder is not trusted. Databases can be viewed; trust the folder to ask.`,
  );

export const notALocalFile = (uri: string) =>
  new AppError(
    'not_a_local_file',
    `${uri} is not a file on this machine's disk, and SQLite reads nothing else. Copy it to a folder and open it there.`,
    { uri },
  );

export const notADatabase = (path: string) =>
  new AppError(
    'not_a_database',
    `${path} is not a SQLite database: it does not begin with "SQLite format 3". If it is encrypted, decrypt it first.`,
    { path },
  );

export const noServerAddress = () =>
  new AppError(
    'no_server_address',
    'The setting "sqlAgent.model.server.address" is empty, so no server can be asked. Run "SQL Agent: Choose Model…".',
  );

export const badServerAddress = (address: string) =>
  new AppError(
    'bad_server_address',
    `"${address}" is no address of a server. It begins with http:// or https://, e.g. http://127.0.0.1:11434/v1. Run "SQL Agent: Choose Model…".`,
    { address },
  );

export const noServerModel = (address: string) =>
  new AppError(
    'no_server_model',
    `No model is named for the server ${address}. Run "SQL Agent: Choose Model…" and pick one of its models.`,
    { address },
  );

const CHOOSE_ANOTHER = 'Run "SQL Agent: Choose Model…" and choose a model or another adapter';

export const adapterGone = (path: string) =>
  new AppError(
    'adapter_gone',
    `The adapter ${path}, which the settings choose, is not there any more: it was moved, renamed or deleted. ${CHOOSE_ANOTHER}, or put the file back.`,
    { path },
  );

/** @param base what it was trained for @param chosen the local model of the settings; null: no local model fits */
export const adapterOfOtherBase = (path: string, base: string, chosen: string | null) =>
  new AppError(
    'adapter_other_base',
    chosen === null
      ? `The adapter ${path} was trained for ${base}, which is neither "small" nor "coder" as they answer here. ${CHOOSE_ANOTHER}. "sql-agent-trainer export" makes a model of it and its base, which a server can answer with.`
      : `The adapter ${path} was trained for "${base}", and the settings choose "${chosen}". ${CHOOSE_ANOTHER}.`,
    { path, base },
  );

export const adapterOfNoBase = (name: string) =>
  new AppError(
    'adapter_no_base',
    `The adapter ${name} does not say which model it was trained for, and the setting "sqlAgent.model.local" is "auto". ${CHOOSE_ANOTHER}.`,
  );

export const adapterPathRelative = (path: string) =>
  new AppError(
    'adapter_path_relative',
    `The setting "sqlAgent.model.adapter" is "${path}", and it must be an absolute path. ${CHOOSE_ANOTHER}.`,
    { path },
  );

export const unreadableScript = (path: string, reason: string) =>
  new AppError('unreadable_script', `The script ${path} (SQL_AGENT_SCRIPT) cannot be used: ${reason}.`, { path });

/** True for an error that asks for no message: the user knows, having stopped it. */
export function isSilent(error: unknown): boolean {
  return error instanceof AppError && error.code === 'cancelled';
}

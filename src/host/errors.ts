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

export const unreadableScript = (path: string, reason: string) =>
  new AppError('unreadable_script', `The script ${path} (SQL_AGENT_SCRIPT) cannot be used: ${reason}.`, { path });

/** True for an error that asks for no message: the user knows, having stopped it. */
export function isSilent(error: unknown): boolean {
  return error instanceof AppError && error.code === 'cancelled';
}

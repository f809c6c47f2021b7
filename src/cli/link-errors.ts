import { AppError } from '../protocol/errors.ts';

// One function per error that a user is told about the file of `link --ddl`.

export function ddlUnreadable(file: string, reason: string): AppError {
  return new AppError(
    'ddl_unreadable',
    `${file} cannot be read (${reason}). Name a text file with CREATE statements.`,
    {
      file,
      reason,
    },
  );
}

export function ddlIsDatabase(file: string): AppError {
  const message = `${file} is a SQLite database, not a text with CREATE statements. Leave out --ddl: sql-agent link DB "question".`;
  return new AppError('ddl_is_database', message, { file });
}

/** @param problems why statements were left out, a sentence each */
export function ddlWithoutTables(file: string, problems: readonly string[]): AppError {
  const first = problems[0] === undefined ? '' : ` ${problems[0]}`;
  const message = `${file} has no CREATE TABLE statement that SQLite takes.${first}`;
  return new AppError('ddl_no_tables', message, { file, problems });
}

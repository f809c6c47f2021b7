import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { AppError } from '../protocol/errors.ts';

/**
 * The SQL that a word of the command line gives: the text of a file where the word is the name of one (`query.sql`), else
 * the word itself.
 * @throws AppError `sql_file_unreadable`
 */
export async function sqlWord(word: string, cwd: string): Promise<string> {
  if (!/^\S.*\.sql$/i.test(word) || /[\n;]|\bselect\b.*\bfrom\b/i.test(word)) return word;
  const path = resolve(cwd, word);
  try {
    return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('sql_file_unreadable', `${path} cannot be read: ${reason}. Give a file that exists, or SQL.`, {
      path,
    });
  }
}

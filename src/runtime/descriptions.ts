import { promises as files } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseDescriptions } from '../core/schema/descriptions.ts';
import { nameKey } from '../core/schema/identifiers.ts';

/** The folder beside a database in which BIRD ships what its columns mean. */
export function descriptionFolder(db: string): string {
  return join(dirname(db), 'database_description');
}

/** Text of a file: UTF-8, or Windows-1252 where it is not (some of BIRD's files are). */
async function readText(path: string): Promise<string> {
  const bytes = await files.readFile(path);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/**
 * Column meanings from `database_description/<table>.csv` beside the database: by `nameKey` of the table, then of the
 * column. A folder or file that cannot be read says nothing.
 */
export async function readDescriptions(db: string): Promise<Map<string, Map<string, string>>> {
  const folder = descriptionFolder(db);
  const meanings = new Map<string, Map<string, string>>();
  let names: string[];
  try {
    names = await files.readdir(folder);
  } catch {
    return meanings;
  }
  for (const name of names.filter((entry) => entry.toLowerCase().endsWith('.csv'))) {
    try {
      meanings.set(nameKey(name.slice(0, -'.csv'.length)), parseDescriptions(await readText(join(folder, name))));
    } catch {
      // One unreadable file must not hide the others.
    }
  }
  return meanings;
}

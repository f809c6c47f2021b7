import { type BigIntStats, promises as files } from 'node:fs';

/** Size, time of last change and identity of a file; `-` where there is none. */
async function stateOf(path: string): Promise<string> {
  let stats: BigIntStats;
  try {
    stats = await files.stat(path, { bigint: true });
  } catch {
    return '-';
  }
  return `${stats.size}:${stats.mtimeNs}`;
}

/**
 * A text that changes when a database does: size and time of the last change of the file and of its write-ahead log.
 * A file that is missing or cannot be looked at has one too; whoever opens it then says what is wrong.
 */
export async function fingerprintOf(db: string): Promise<string> {
  const states = await Promise.all([stateOf(db), stateOf(`${db}-wal`)]);
  return states.join('|');
}

/** The same for anything beside the database, such as a folder of descriptions. */
export async function fingerprintOfPath(path: string): Promise<string> {
  return stateOf(path);
}

/** What to do about a result code of SQLite that its own words do not explain; by primary code. */
const ADVICE: Record<number, string> = {
  7: 'The query needed more memory than it may use. Sort, group or concatenate less.',
  10: 'The file could not be read there. Check the disk and the connection to it.',
  11: 'A part of the file that this query needs is damaged; other queries may still run. "sqlite3 FILE .recover" saves what can be read.',
  18: 'One value or row is larger than 256 MiB. Take a part of it with substr().',
};

/** SQLite's message, with advice where there is some. */
export function adviceFor(primaryCode: number, message: string): string {
  const advice = ADVICE[primaryCode];
  return advice === undefined ? message : `${message}. ${advice}`;
}

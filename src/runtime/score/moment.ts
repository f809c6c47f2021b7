/** Functions and words whose value is of the moment, of chance, of the connection or of the machine. */
const VOLATILE =
  /\b(?:random|randomblob|changes|total_changes|last_insert_rowid|current_date|current_time|current_timestamp|now|localtime|utc|subsecond?|subsec|pragma\w*|explain)\b/i;

/** A date function without a time value takes the present: `date()`, `strftime('%Y')`. */
const PRESENT = /\b(?:date|time|datetime|julianday|unixepoch|strftime)\s*\(\s*(?:'[^']*'\s*)?\)/i;

/**
 * Whether the rows of a SQL text may be others another time on the same database content, as far as its words tell;
 * taken for so where in doubt. Views that it reads have words of their own.
 */
export function dependsOnMoment(sql: string): boolean {
  return VOLATILE.test(sql) || PRESENT.test(sql);
}

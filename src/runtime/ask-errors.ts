import { AppError } from '../protocol/errors.ts';

export function goldWithoutTables(gold: string): AppError {
  const message = `Link mode "oracle" keeps the tables of the correct query, and "${gold.slice(0, 200)}" names none that can be read. Check the SQL given with --gold.`;
  return new AppError('gold_unusable', message, { gold });
}

/** Nothing to ask about. @param unreadable what is broken about the tables that are there, a sentence each */
export function noTablesToAsk(db: string, views: number, unreadable: readonly string[]): AppError {
  const [first] = unreadable;
  let why = 'has no tables yet, so there is nothing to ask about. Check that it is the file that you mean.';
  if (first !== undefined) why = `has no table that can be read: ${first}`;
  else if (views > 0)
    why =
      'has views, but no tables; questions are asked about tables. Read a view with "sql-agent run" or in the editor.';
  return new AppError('db_no_tables', `${db} ${why}`, { db, views, unreadable });
}

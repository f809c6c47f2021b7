import { AppError } from '../../protocol/errors.ts';

/** A run has no item of that id. */
export function noItem(run: string, id: string, ids: readonly string[]): AppError {
  const some = ids.slice(0, 5).join(', ');
  const message = `Run ${run} has no item ${id}. It has ${ids.length} items: ${some}${ids.length > 5 ? ', …' : ''}. "sql-agent report ${run}" lists those that are not right.`;
  return new AppError('item_unknown', message, { run, id });
}

/** The model gave no SQL for an item. */
export function itemWithoutSql(run: string, id: string, outcome: string): AppError {
  const message = `Item ${id} of run ${run} has no SQL to look into: its outcome is ${outcome}.`;
  return new AppError('item_without_sql', message, { run, id, outcome });
}

/** The database of an item is nowhere. */
export function itemDatabaseMissing(id: string, name: string): AppError {
  const message = `The database ${name} of item ${id} is neither where the run had it nor beside its dataset. Name the folder of databases with --db-root.`;
  return new AppError('databases_not_found', message, { id, name });
}

import type { Sandbox } from '../core/ports.ts';
import type { Catalog, ValueScan } from '../protocol/catalog.ts';
import { storageFolder } from '../runtime/paths.ts';
import { openStore } from '../runtime/store/store.ts';
import { scanValues } from '../runtime/store/values.ts';
import type { VerbContext } from './verb.ts';

/**
 * The cell values of a database, kept in the user's store, with a note on stderr on every column that was left out.
 * @param budgetMs time for the scan in milliseconds; null: no limit
 * @throws AppError where the database file is the matter, `cancelled`
 */
export async function scannedValues(
  { out, env, signal }: VerbContext,
  sandbox: Sandbox,
  db: string,
  catalog: Catalog,
  budgetMs: number | null,
): Promise<ValueScan> {
  const store = openStore(storageFolder(env));
  try {
    const scan = await scanValues({ sandbox, store, db, catalog, budgetMs }, signal);
    for (const note of store.notes) out.log(`note: ${note}`);
    if (scan.skipped.length > 0) out.log(`note: no time was left to read the values of ${scan.skipped.join(', ')}.`);
    return scan;
  } finally {
    store.close();
  }
}

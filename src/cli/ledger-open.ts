import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { resultsFolder } from '../runtime/evals/results-folder.ts';
import { storageFolder } from '../runtime/paths.ts';
import { LEDGER_FILE, Ledger } from '../runtime/store/ledger.ts';
import type { Store } from '../runtime/store/store.ts';
import { fileOption, type VerbArgs, type VerbContext } from './verb.ts';

/** Under so many bytes a ledger is read faster than the store with its index is opened. */
const SMALL = 1_000_000;

/** Runs `work` on the ledger that a call names. */
export async function withLedger<T>(
  context: VerbContext,
  args: VerbArgs,
  work: (ledger: Ledger) => Promise<T>,
): Promise<T> {
  const folder = resultsFolder(fileOption(args, 'results'), context.env, context.cwd);
  const size = await stat(join(folder, LEDGER_FILE)).then(
    (stats) => stats.size,
    () => 0,
  );
  let store: Store | null = null;
  if (size > SMALL) {
    const { openStore } = await import('../runtime/store/store.ts');
    store = openStore(storageFolder(context.env));
  }
  try {
    return await work(new Ledger(folder, store));
  } finally {
    store?.close();
  }
}

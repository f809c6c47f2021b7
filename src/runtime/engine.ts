import { IndexCache } from '../core/link/catalog-index.ts';
import { CatalogCache } from './catalog.ts';
import { SandboxPool } from './sandbox/pool.ts';
import { openStore, type Store } from './store/store.ts';

/** What questions are answered with: shared by all questions of a process. */
export interface Engine {
  sandbox: SandboxPool;
  store: Store | null;
  catalogs: CatalogCache;
  /** What the linker knows of their names. */
  indexes: IndexCache;
  /** The user's storage folder. */
  storage: string;
  dispose(): Promise<void>;
}

/** Opens the engine. Nothing is started before the first question. @param options.children queries at the same time */
export async function openEngine(options: { storage: string; children?: number }): Promise<Engine> {
  const sandbox = new SandboxPool(options.children === undefined ? {} : { children: options.children });
  const store = openStore(options.storage);
  return {
    sandbox,
    store,
    catalogs: new CatalogCache(),
    indexes: new IndexCache(),
    storage: options.storage,
    dispose: async () => {
      await sandbox.dispose();
      store.close();
    },
  };
}

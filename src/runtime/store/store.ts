import type { IndexedScan } from '../../core/schema/value-index.ts';
import { ContentHashes } from './content-hash.ts';
import { LedgerIndex } from './ledger-index.ts';
import { ResultCache } from './result-cache.ts';
import { ScanCache } from './scans.ts';
import { StoreFile } from './store-file.ts';

/** A scan in memory, with the catalog and budget that it answers. */
export interface ScanInMemory {
  state: string;
  columns: string;
  /** Nothing more would be scanned within this budget. */
  budgetMs: number;
  scan: IndexedScan;
}

/** Scans that stay in memory with their indexes. */
const MOST_IN_MEMORY = 8;

/** Our own data in the user's storage folder. Several processes may have it open at once. */
export class Store {
  /** What happened to the file, a sentence each: for the log. */
  readonly notes: string[] = [];
  readonly scans: ScanCache;
  readonly ledgers: LedgerIndex;
  readonly contents: ContentHashes;
  readonly results: ResultCache;
  readonly #file: StoreFile;
  readonly #recent = new Map<string, ScanInMemory>();

  constructor(folder: string) {
    this.#file = new StoreFile(folder, (text) => {
      if (!this.notes.includes(text)) this.notes.push(text);
    });
    this.scans = new ScanCache(this.#file);
    this.ledgers = new LedgerIndex(this.#file);
    this.contents = new ContentHashes(this.#file);
    this.results = new ResultCache(this.#file);
  }

  /** The scan of a database that is still in memory. */
  recall(path: string): ScanInMemory | undefined {
    return this.#recent.get(path);
  }

  remember(path: string, kept: ScanInMemory): void {
    this.#recent.delete(path);
    this.#recent.set(path, kept);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > MOST_IN_MEMORY && oldest !== undefined) this.#recent.delete(oldest);
  }

  close(): void {
    this.results.close();
    this.#file.close();
  }
}

/**
 * Opens `<folder>/store.sqlite`, made where it is missing. It never fails: a damaged file is renamed and made anew, and
 * where none can be made the store lives in memory; `notes` says so.
 */
export function openStore(folder: string): Store {
  return new Store(folder);
}

import * as z from 'zod/mini';
import { HistoryItem } from '../../protocol/ask-panel.ts';

/** Questions kept of one database, and databases whose questions are kept. */
const MOST_ITEMS = 50;
const MOST_DATABASES = 50;
const KEY = 'sqlAgent.askHistory';

/** What VS Code keeps values in. */
export interface MementoLike {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const Kept = z.array(z.object({ database: z.string(), items: z.array(HistoryItem) }));
type Kept = z.infer<typeof Kept>;

/** The questions asked of each database, newest first. */
export class AskHistory {
  readonly #memento: MementoLike;

  constructor(memento: MementoLike) {
    this.#memento = memento;
  }

  #kept(): Kept {
    const parsed = Kept.safeParse(this.#memento.get(KEY));
    return parsed.success ? parsed.data : [];
  }

  /** The questions of a database, newest first. */
  of(database: string): HistoryItem[] {
    return this.#kept().find((entry) => entry.database === database)?.items ?? [];
  }

  /** Keeps a question; the same one asked before is replaced. */
  async add(database: string, item: HistoryItem): Promise<void> {
    const others = this.of(database).filter(
      ({ question, evidence }) => question !== item.question || evidence !== item.evidence,
    );
    await this.#keep(database, [item, ...others].slice(0, MOST_ITEMS));
  }

  /** Forgets the question that was asked at a time. */
  async forget(database: string, at: number): Promise<void> {
    await this.#keep(
      database,
      this.of(database).filter((item) => item.at !== at),
    );
  }

  async #keep(database: string, items: HistoryItem[]): Promise<void> {
    const others = this.#kept().filter((entry) => entry.database !== database);
    const kept = items.length === 0 ? others : [{ database, items }, ...others];
    await this.#memento.update(KEY, kept.slice(0, MOST_DATABASES));
  }
}

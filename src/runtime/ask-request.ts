import type { Previous } from '../protocol/ask.ts';
import type { LinkMode } from '../protocol/catalog.ts';

/** One question with its limits. */
export interface AskRequest {
  /** Path of the database. */
  db: string;
  question: string;
  evidence: string;
  previous: Previous | null;
  /** Samples that vote; 1: no vote. */
  samples: number;
  /** Further samples of the protocol `one_shot` after an error or an empty result; left out: 3. */
  retries?: number | undefined;
  /** Whether the first of them shows the model the error of its first query; left out: where it was trained on that. */
  repair?: boolean | undefined;
  /** Messages of the model in the protocol `turns`. */
  turns: number;
  link: LinkMode;
  /** The correct query, for link mode `oracle`. */
  gold: string | null;
  /** Limit of one query in milliseconds. */
  timeoutMs: number;
  maxRows: number;
  /** Limit of the search of cell values in milliseconds; left out: 1,500. */
  scanBudgetMs?: number;
  /** Where the transcript is written; null: nowhere; left out: to the storage folder. */
  transcript?: string | null;
}

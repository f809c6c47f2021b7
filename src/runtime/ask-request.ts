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
  /** Messages of the model in the protocol `turns`. */
  turns: number;
  link: LinkMode;
  /** The correct query, for link mode `oracle`. */
  gold: string | null;
  /** Limit of one query in milliseconds. */
  timeoutMs: number;
  maxRows: number;
  /** Where the transcript is written; null: nowhere; left out: to the storage folder. */
  transcript?: string | null;
}

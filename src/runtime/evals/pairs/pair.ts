import type { ChatMessage } from '../../../core/ports.ts';

/** Where a line of training data comes from. */
interface Origin {
  id: string;
  db_id: string;
}

/** A question and its query, as `sql-agent train` reads them. */
export interface PlainPair extends Origin {
  system: string;
  user: string;
  sql: string;
  /** Which other phrasing of the schema it has, from 1; absent: the schema as it is. */
  phrasing?: number;
}

/** A query that does not run, what came of it, and the right one: the last message is learned. */
export interface RepairPair extends Origin {
  messages: (ChatMessage & { train?: boolean })[];
  /** What kind of mistake was planted, or that the query is of a run. */
  repair: string;
}

export type TrainingPair = PlainPair | RepairPair;

import type { ExpectedShape, ModelInfo, Previous, Protocol, StopReason, Turn, VoteGroup } from '../../protocol/ask.ts';
import type { Linked } from '../../protocol/catalog.ts';
import type { WireError } from '../../protocol/errors.ts';
import type { JsonQueryResult } from '../../protocol/query.ts';

/** Everything that a run of the agent depends on, as JSON: with it and the inputs, a run can be replayed. */
export interface AgentSetup {
  protocol: Protocol;
  model: ModelInfo;
  question: string;
  evidence: string;
  previous: Previous | null;
  /** The prompt `lines-1` of the tables kept. `stablePrefix`: characters of `user` that do not depend on the question. */
  prompt: { system: string; user: string; stablePrefix: number; prefixKey: string | null };
  linked: Linked;
  /** Samples to vote over; 1: no vote. */
  samples: number;
  /** Samples of `one_shot` that may follow a greedy one without rows; left out: 3. */
  retries?: number | undefined;
  /**
   * Whether the first retry of `one_shot` sends a query that failed back with its error, for a model that was trained on
   * such repairs; left out: no, each retry asks anew.
   */
  repair?: boolean | undefined;
  /** Messages of the model in one sample of the protocol `turns`. */
  turns: number;
  /** Cap of one reply. */
  maxTokens: number;
}

/** How one sample is decoded. Sample 0 is greedy. */
export interface Decoding {
  temperature: number;
  /** null: the provider's own choice; greedy decoding needs none. */
  seed: number | null;
}

/** What one sample came to. */
export interface Candidate {
  /** Index of the sample, from 0. */
  sample: number;
  stop: StopReason;
  sql: string | null;
  /** The result of `sql`; null where there is no SQL. */
  result: JsonQueryResult | null;
  /** The shape that the model stated. */
  expected: ExpectedShape | null;
  /** Why the provider gave no reply. */
  error: WireError | null;
}

/** What a run of the agent came to. */
export interface AgentOutcome {
  answer: Candidate;
  turns: Turn[];
  linked: Linked;
  vote: VoteGroup[] | null;
  notes: string[];
}

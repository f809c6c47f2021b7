import type { Signals } from './score.ts';

/** How much a signal counts: the score of a table is the sum of signal times weight. */
export type SignalWeights = Readonly<Record<keyof Signals, number>>;

/** How scores pass along joins. Each is a share of the score of the table that they come from. */
export interface JoinWeights {
  /** To a table from the best table that it refers to, and that refers to it. */
  fromParent: number;
  fromChild: number;
  /** From the second best neighbour, as a share of what it would give were it the best: a table between two good ones. */
  second: number;
  /** A neighbour gives each of its `n` neighbours n^-crowd: a hub says little of the tables around it. */
  crowd: number;
  /** To the tables on a shortest way between two of the best `seeds` tables, from the lesser of the two. */
  path: number;
  /** Less for each table more on the way. */
  pathDecay: number;
  /** Among `n` equally short ways each gets n^-pathShare. */
  pathShare: number;
}

/** How many tables are kept. */
export interface Preset {
  minimum: number;
  maximum: number;
  /** Between them, tables with at least this share of the best score. */
  share: number;
}

export const SIGNAL_WEIGHTS: SignalWeights = {
  nameWords: 0.22,
  nameShare: 1.683,
  wholeName: 0.668,
  writtenName: 0.92,
  similarName: 1.337,
  relatedName: 0.418,
  initials: 2.298,
  columnWords: 0.208,
  referenceWords: 0.308,
  bestColumn: 0.468,
  wholeColumns: 0.245,
  writtenColumns: 0.512,
  similarColumn: 0.839,
  namedPerson: 1.697,
  namedThing: 0.826,
  values: 1,
};

export const JOIN_WEIGHTS: JoinWeights = {
  fromParent: 0.29,
  fromChild: 0.306,
  second: 0.314,
  crowd: 0.389,
  path: 0.3,
  pathDecay: 0.954,
  pathShare: 0.423,
};

export const PRESETS = {
  recall: { minimum: 12, maximum: 24, share: 0.05 },
  tight: { minimum: 8, maximum: 14, share: 0.1 },
} as const satisfies Record<string, Preset>;

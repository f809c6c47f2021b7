import type { Signals } from './signals.ts';

/** How much a signal counts: the score of a table is the sum of signal times weight. */
export type SignalWeights = Readonly<Record<keyof Signals, number>>;

/** How scores pass along joins. Each is a share of the score of the table that they come from. */
export interface JoinWeights {
  /** To a table from its best neighbour, whichever of the two refers to the other. */
  neighbour: number;
  /** From the second best neighbour, as a share of what it would give were it the best: a table between two good ones. */
  second: number;
  /** A neighbour gives each of its `n` neighbours n^-crowd: a hub says little of the tables around it. */
  crowd: number;
  /** To the tables on a shortest way between two of the best tables, from the lesser of the two. */
  path: number;
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

/**
 * Found by random search on the BIRD train databases outside the validation split: 13 of 9 to 34 tables as they are, and
 * 24 schemas of 45 to 75 tables put together from the smaller ones. Then rounded: no weight moves the loss by more than
 * 1.6 % when it moves by a tenth. `values` comes from Spider train, 8 schemas of 55 to 68 tables put together, with their cells.
 */
export const SIGNAL_WEIGHTS: SignalWeights = {
  nameWords: 0.25,
  nameShare: 1.2,
  wholeName: 0.9,
  writtenName: 1,
  similarName: 0.8,
  relatedName: 0.6,
  initials: 1.5,
  columnWords: 0.16,
  referenceWords: 0.36,
  bestColumn: 0.5,
  wholeColumns: 0.2,
  writtenColumns: 0.6,
  similarColumn: 0.9,
  namedPerson: 2.3,
  namedThing: 0.4,
  meaningWords: 0.2,
  values: 3,
};

/** Found together with `SIGNAL_WEIGHTS`. */
export const JOIN_WEIGHTS: JoinWeights = {
  neighbour: 0.27,
  second: 0.3,
  crowd: 0.36,
  path: 0.37,
  pathShare: 0.4,
};

/**
 * On the same tuning data, share of questions with all needed tables kept, and mean kept, of schemas over 12 tables:
 * `recall` 99.7 % at 15.3 (as they are), 99.8 % at 18.8 (put together); `tight` 98.9 % at 12.1 and 99.3 % at 12.8.
 * How it was measured: docs/decisions/0003-lexical-linker.md.
 */
export const PRESETS = {
  recall: { minimum: 12, maximum: 24, share: 0.05 },
  tight: { minimum: 8, maximum: 14, share: 0.05 },
} as const satisfies Record<string, Preset>;

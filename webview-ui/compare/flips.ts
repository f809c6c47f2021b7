import type { Comparison, Flip } from '../../src/protocol/compare.ts';

/** A flip with its side: `gained` is right in B alone, `lost` in A alone. */
export interface ListedFlip extends Flip {
  side: 'gained' | 'lost';
}

/** Which flips are listed. `text` is looked for in question, id, database and difficulty. */
export interface FlipFilter {
  text: string;
  side: 'all' | 'gained' | 'lost';
}

/** All flips: lost ones first, for they are what a change has broken. */
export function flipsOf({ gained, lost }: Comparison): ListedFlip[] {
  return [
    ...lost.map((flip): ListedFlip => ({ ...flip, side: 'lost' })),
    ...gained.map((flip): ListedFlip => ({ ...flip, side: 'gained' })),
  ];
}

/** The flips that a filter lets through: every word of the text must occur. */
export function filterFlips(flips: readonly ListedFlip[], { text, side }: FlipFilter): ListedFlip[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return flips.filter((flip) => {
    if (side !== 'all' && flip.side !== side) return false;
    const all = `${flip.question}\n${flip.id}\n${flip.db_id}\n${flip.difficulty ?? ''}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

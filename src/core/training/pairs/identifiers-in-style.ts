import type { Random } from '../../score/statistics/random.ts';
import { weighted } from './chance.ts';

/** How the words of a name are put together; `kept`: the name stays as it is. */
export type NameStyle = 'kept' | 'snake' | 'title_snake' | 'camel' | 'pascal' | 'flat' | 'upper' | 'spaced';

/** How often each is taken: about as often as schemas that people publish are written so. */
const STYLES: readonly (readonly [NameStyle, number])[] = [
  ['kept', 5],
  ['snake', 4],
  ['title_snake', 3],
  ['camel', 3],
  ['pascal', 3],
  ['flat', 2],
  ['upper', 2],
  ['spaced', 1],
];

/** A style by chance. */
export function anyStyle(random: Random): NameStyle {
  return weighted(STYLES, random);
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Words as one name in a style. @param words case-folded, at least one */
export function inStyle(words: readonly string[], style: Exclude<NameStyle, 'kept'>): string {
  const capitals = words.map(capital);
  switch (style) {
    case 'snake':
      return words.join('_');
    case 'title_snake':
      return capitals.join('_');
    case 'camel':
      return [words[0] ?? '', ...capitals.slice(1)].join('');
    case 'pascal':
      return capitals.join('');
    case 'flat':
      return words.join('');
    case 'upper':
      return words.join('_').toUpperCase();
    case 'spaced':
      return capitals.join(' ');
  }
}

import type { SideDifference } from '../../src/protocol/result-side.ts';
import { countInWords, numberInWords } from './format.ts';

/** How the results differ, in rows. */
export function differenceInWords(difference: SideDifference): string {
  const { missing, extra, recounted, moved, partial, goldColumns, predColumns, ordered } = difference;
  const parts = [
    goldColumns === predColumns
      ? ''
      : `${countInWords(predColumns, 'column')} instead of ${numberInWords(goldColumns)}`,
    missing === 0 ? '' : `${countInWords(missing, 'row')} missing`,
    extra === 0 ? '' : `${countInWords(extra, 'row')} extra`,
    recounted === 0 ? '' : `${countInWords(recounted, 'row')} repeated another number of times`,
    moved === 0 ? '' : `${countInWords(moved, 'row')} elsewhere`,
  ].filter((part) => part !== '');
  const same = `Both results have the same rows${ordered ? ' in the same order' : ''}`;
  const said = parts.length === 0 ? same : parts.join(', ');
  return partial ? `${said}, among the rows that were compared` : said;
}

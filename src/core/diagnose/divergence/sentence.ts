import { sourceInWords } from '../trace/words.ts';
import type { Divergence, NestedPlace } from './divergence.ts';

function rowsWord(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`;
}

function groupsWord(count: number): string {
  return count === 1 ? '1 group' : `${count} groups`;
}

/** What keeps and drops amount to: "keeps 3 rows that the gold drops and drops 1 row that it keeps". */
function keepsAndDrops(missing: number, extra: number, word: (count: number) => string): string {
  const keeps = `keeps ${word(extra)} that the gold drops`;
  if (missing === 0) return keeps;
  const it = missing === 1 ? 'it keeps' : 'it keeps';
  return extra === 0 ? `drops ${word(missing)} that the gold keeps` : `${keeps} and drops ${word(missing)} that ${it}`;
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];

/** `first`, `second` …, `7th`. */
export function ordinal(number: number): string {
  return ORDINALS[number - 1] ?? `${number}th`;
}

/** "In WITH spent, in the subquery: WHERE drops 3 rows …": the verdict on two queries with different results. */
export function divergenceSentence(divergence: Divergence): string {
  const { inside, detail } = divergence;
  const sentence = [ownSentence(divergence), ...(detail === null ? [] : [detail])].join(' ');
  if (inside.length === 0) return sentence;
  const places = inside.map((place) => `in ${nestedWords(place)}`).join(', ');
  return `${places.charAt(0).toUpperCase()}${places.slice(1)}: ${sentence}`;
}

function nestedWords({ pred: { source }, arm }: NestedPlace): string {
  if (arm !== null) return `the ${ordinal(arm)} SELECT`;
  return source.kind === 'cte' ? sourceInWords(source) : `the ${sourceInWords(source)}`;
}

function ownSentence({ kind, clause, lacking, totals }: Divergence): string {
  const { missing, extra } = totals;
  switch (kind) {
    case 'tables':
      return tablesSentence(clause, lacking, missing, extra);
    case 'keys':
      return lacking
        ? `The gold has a ${clause} that the prediction lacks: the prediction ${keepsAndDrops(missing, extra, rowsWord)}.`
        : `${clause} ${keepsAndDrops(missing, extra, rowsWord)}.`;
    case 'multiplicity':
      return lacking
        ? 'The same rows come out, another number of times: the gold joins a table that the prediction does not.'
        : `${clause} gives the same rows as the gold, but another number of times.`;
    case 'groups':
      return groupsSentence(clause, lacking, missing, extra);
    case 'columns':
      return 'The rows are the same up to SELECT; what SELECT makes of them is not.';
    case 'duplicates':
      if (clause === 'SELECT') return 'The same rows come out, but another number of times.';
      return lacking
        ? 'The gold drops rows that repeat by DISTINCT; the prediction keeps them.'
        : 'DISTINCT drops rows that repeat; the gold keeps them.';
    case 'set_operation':
      return lacking
        ? 'The gold puts the results of several SELECTs together; the prediction is one SELECT.'
        : 'The results are put together otherwise than in the gold.';
    case 'order':
      return lacking
        ? 'The gold sorts the rows; the prediction does not.'
        : 'ORDER BY sorts the rows otherwise than the gold.';
    case 'limit':
      return lacking
        ? 'The gold cuts the rows by LIMIT; the prediction does not.'
        : 'LIMIT keeps another number of rows than the gold.';
    case 'ties':
      return 'Rows are tied where LIMIT cuts: which of them come out is arbitrary.';
  }
}

function tablesSentence(clause: string, lacking: boolean, missing: number, extra: number): string {
  const effect = missing + extra === 0 ? '' : ` The prediction ${keepsAndDrops(missing, extra, rowsWord)}.`;
  return lacking
    ? `The gold joins a table that the prediction does not read.${effect}`
    : `${clause} reads a table that the gold does not read there.${effect}`;
}

function groupsSentence(clause: string, lacking: boolean, missing: number, extra: number): string {
  if (clause === 'HAVING')
    return lacking
      ? `The gold has a HAVING that the prediction lacks: the prediction ${keepsAndDrops(missing, extra, groupsWord)}.`
      : `HAVING ${keepsAndDrops(missing, extra, groupsWord)}.`;
  if (missing + extra > 0) return 'GROUP BY puts the rows into other groups than the gold.';
  const what = clause === 'AGGREGATE' ? 'makes one value of all rows' : 'groups the rows';
  return lacking ? `The gold ${what}; the prediction does not.` : `The prediction ${what}; the gold does not.`;
}

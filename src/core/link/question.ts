import { foldCase } from '../schema/words.ts';
import { relatedWords } from './related-words.ts';
import { isStopWord, splitWords, stem } from './words.ts';

/** Words that are written together as one in a schema are at most this many. */
const LONGEST_COMPOUND = 4;
const LONGEST_INITIALS = 5;
const SHORTEST_INITIALS = 3;

/** What linking needs of a question and its hint. */
export interface QuestionWords {
  /** Stems of the words that are no stop words. */
  stems: ReadonlySet<string>;
  /** Stems that people or schemas use for one of `stems`, without those. */
  related: ReadonlySet<string>;
  /** Stems of all words in order, each between spaces: for phrases. */
  sequence: string;
  /** Runs of adjacent words written as one, the last one also as its stem. */
  compounds: ReadonlySet<string>;
  /** First letters of runs of adjacent words: `hof` of "hall of fame". */
  initials: ReadonlySet<string>;
  /** Identifiers as they stand in the text, and what stands in quotes or backticks. */
  written: ReadonlySet<string>;
  /** Runs of two or more capitalised words of the question, as stems: names of people, titles, places. */
  properNames: readonly (readonly string[])[];
}

/** Reads a question and its hint ('' where there is none). */
export function readQuestion(question: string, evidence: string): QuestionWords {
  // The bar keeps phrases from running over the edge between question and hint.
  const words = [...splitWords(question), '|', ...splitWords(evidence)];
  const forms = words.map(stem);
  const stems = new Set(forms.filter((_, at) => words[at] !== '|' && !isStopWord(words[at] ?? '')));
  const related = new Set([...stems].flatMap((form) => [...relatedWords(form)]).filter((form) => !stems.has(form)));
  const text = `${question} ${evidence}`;
  return {
    stems,
    related,
    sequence: ` ${forms.join(' ')} `,
    compounds: compoundsOf(words, forms),
    initials: initialsOf(words),
    written: new Set([...(text.match(/[\p{L}\p{N}_]+/gu) ?? []), ...quotedParts(text)]),
    properNames: properNamesOf(question),
  };
}

function compoundsOf(words: readonly string[], forms: readonly string[]): Set<string> {
  const compounds = new Set<string>();
  for (let start = 0; start < words.length; start += 1) {
    let run = '';
    for (let at = start; at < Math.min(words.length, start + LONGEST_COMPOUND); at += 1) {
      compounds.add(`${run}${forms[at]}`);
      run += words[at];
      compounds.add(run);
    }
  }
  return compounds;
}

function initialsOf(words: readonly string[]): Set<string> {
  const letters = words.map((word) => word[0] ?? '');
  const initials = new Set<string>();
  for (let start = 0; start < letters.length; start += 1)
    for (let length = SHORTEST_INITIALS; length <= LONGEST_INITIALS; length += 1)
      if (start + length <= letters.length) initials.add(letters.slice(start, start + length).join(''));
  return initials;
}

function quotedParts(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`|"([^"]+)"|\[([^\]]+)\]/g)].flatMap((match) => match.slice(1).filter(Boolean));
}

/** Capitalised words side by side, less a capital that only begins a sentence with a stop word. */
function properNamesOf(question: string): string[][] {
  const names: string[][] = [];
  let run: string[] = [];
  let end = 0;
  const close = () => {
    if (run.length > 1) names.push(run);
    run = [];
  };
  for (const match of question.matchAll(/[\p{L}\p{N}]+/gu)) {
    const word = match[0];
    const between = question.slice(end, match.index);
    end = match.index + word.length;
    if (run.length > 0 && !/^[\s'’.-]*$/u.test(between)) close();
    const folded = foldCase(word);
    if (/^\p{Lu}/u.test(word) && !isStopWord(folded)) run.push(stem(folded));
    else close();
  }
  close();
  return names;
}

// What the rules of expected shapes know of English questions. All of it works on the normal form of `normalQuestion`.

const NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** Pattern of a small number with one group. A bare 1 is left out: "the top 1" and "the one" are said of one row anyway. */
export const NUMBER = `(\\d{1,2}|${NUMBERS.slice(2).join('|')})`;

export const SUPERLATIVE =
  '(?:most|least|fewest|highest|lowest|largest|smallest|biggest|longest|shortest|oldest|youngest|tallest|heaviest|lightest|best|worst|latest|earliest|newest|greatest|cheapest|maximum|minimum|top)';

/** Pattern of the words that ask, with the articles behind them. */
export const ASK =
  "(?:please )?(?:what(?: is| are| was| were|'s)|find|list|show|give|return|tell|display|report|compute|calculate|get|select|state|provide)(?: out)?(?: me)?(?: (?:the|all|a|an|every|any|distinct|different|unique|of))*";

const ASKED = new RegExp(`^(?:${ASK} |how many |count |which |who )`);

/** Several rows: one of each group is asked for, or they are to be sorted. */
const SEVERAL_ROWS =
  /\b(?:each|per|every|respectively|group(?:ed)? by|broken down|by (?:country|year|month|type|department|category)|for (?:different|all|various|both)|(?:of|in|by|for the) (?:different|various)|ascending|descending|sorted|ordered|alphabetical\w*)\b/;

/** A second thing is asked for. */
const SECOND_THING =
  /,? (?:and|or) (?:also )?(?:how|what|when|where|which|who|whose|list|show|find|give|return|their|its|his|her|corresponding|names?|ids?|the)\b|\bas well as\b|\balong with\b|\btogether with\b|\bwith (?:their|its|his|her)\b|\bboth\b|, |; |\? \w/;

/** A clause begins: an `and` behind it joins conditions, one before it joins things that are asked for. */
const CLAUSE =
  /\b(?:that|who|whose|whom|which|where|when|with|without|having|have|has|had|in|from|born|older|younger|not|by|is|are|was|were|do|did|does|named|called)\b/;

/** A group word with what it groups: "for each department", "per year". */
const GROUP =
  /\b(?:for|of|in|by|at|from|on)?\s*\b(?:each|every|per) (?!other\b|capita\b|gallon\b|hour\b|minute\b|second\b|day of\b|cent\b|unit\b)((?:\w+ )?\w+)/;

/** The number that a word or digits stand for. */
export function numberOf(word: string): number {
  const index = NUMBERS.indexOf(word);
  return index < 0 ? Number(word) : index;
}

/** Lower case, single spaces, plain apostrophes, no mark at the end. */
export function normalQuestion(question: string): string {
  return question
    .toLowerCase()
    .replaceAll(/[’‘`´]/g, "'")
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[,.?!;:])/g, '')
    .trim()
    .replace(/[.?!]+$/, '');
}

/** The things asked for: the question without the words that ask, up to its first clause. */
function headOf(question: string): string {
  const asked = question.replace(ASKED, '');
  return asked.slice(0, CLAUSE.exec(asked)?.index ?? asked.length);
}

/** True where one thing is asked for, so that an answer has one column. */
export function asksOneThing(question: string): boolean {
  return !SECOND_THING.test(question) && !/ (?:and|or) /.test(headOf(question));
}

/** True where nothing says that there are several rows. */
export function asksNoGroups(question: string): boolean {
  return !SEVERAL_ROWS.test(question);
}

/** What the question groups by, such as `department`; null where it names no group. */
export function groupOf(question: string): string | null {
  const words = GROUP.exec(question)?.[1]?.split(' ') ?? [];
  const stop = words.findIndex(
    (word, index) =>
      index > 0 && (CLAUSE.test(word) || /^(?:and|or|of|the|to|for|how|what|list|find|show|there|offers?)$/.test(word)),
  );
  const group = (stop < 0 ? words : words.slice(0, stop)).join(' ');
  return group === '' ? null : group;
}

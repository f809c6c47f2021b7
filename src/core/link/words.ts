import { foldCase } from '../schema/words.ts';

/** Words of questions and hints that name no part of a schema: function words, and how hints write arithmetic and SQL. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above all also am among an and any are as at be been below between both but by can could d did do does during
  each every few for from had has have he her here him his how i if in indicate into is it its just least less ll many me
  mean meaning means more most much my no not of on only or other our out over per please provide refer refers s same she
  should show so some such t tell than that the their them then there these they this those to too under up us was we
  were what when where which while who whom whose will with would yes you your
  average avg calculate case cast count desc asc difference distinct divide else end false find give integer like limit
  list max min multiply null percent percentage ratio real select state strftime substr subtract sum text true`.split(
    /\s+/,
  ),
);

/** Irregular forms of verbs and nouns that questions use and schemas do not. */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  `born birth, bought buy, children child, chose choose, dead death, died death, die death, drove drive, flew fly,
  given give, grew grow, held hold, lose loss, lost loss, made make, men man, met meet, paid pay, people person, ran run,
  sang sing, sold sell, spent spend, spoke speak, spoken speak, sung sing, taught teach, women woman, won win,
  wrote write, written write`
    .split(',')
    .map((pair): [string, string] => {
      const [form = '', base = ''] = pair.trim().split(' ');
      return [form, base];
    }),
);

const WORD = /[\p{L}\p{N}]+/gu;
/** Where a word ends inside an identifier: `orderDate`, `HTTPServer`, `address2`, `2ndName`. */
const INNER_EDGE = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u;
/** Scripts that put no space between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const ASCII = /^[\0-\x7f]*$/;

/** The words of an identifier or a text, case-folded: CamelCase, underscores and digits part words. */
export function splitWords(text: string): string[] {
  return ASCII.test(text) ? splitAscii(text) : (text.match(WORD) ?? []).flatMap(splitRun);
}

function splitRun(run: string): string[] {
  return run
    .split(INNER_EDGE)
    .map(foldCase)
    .flatMap((word) => (UNSPACED.test(word) ? characterPairs(word) : [word]));
}

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;

function asciiClass(code: number): number {
  if (code >= 97 && code <= 122) return LOWER;
  if (code >= 65 && code <= 90) return UPPER;
  return code >= 48 && code <= 57 ? DIGIT : OTHER;
}

/** The same as by `WORD` and `INNER_EDGE`, many times faster: a large schema has 20,000 names. */
function splitAscii(text: string): string[] {
  const lower = text.toLowerCase();
  const words: string[] = [];
  let start = 0;
  let before = OTHER;
  for (let at = 0; at <= text.length; at += 1) {
    // Behind the end the code is NaN, which is of no class.
    const kind = asciiClass(text.charCodeAt(at));
    if (isEdge(before, kind, text.charCodeAt(at + 1))) {
      if (before !== OTHER) words.push(lower.slice(start, at));
      start = at;
    }
    before = kind;
  }
  return words;
}

/** Whether a word ends or begins between two characters. @param next the code of the character behind them */
function isEdge(before: number, kind: number, next: number): boolean {
  if (kind !== before) return !(before === UPPER && kind === LOWER);
  return kind === UPPER && asciiClass(next) === LOWER;
}

/** Overlapping pairs of characters stand in for the words of a script without spaces. */
function characterPairs(word: string): string[] {
  const characters = [...word];
  return characters.length < 3 ? [word] : characters.slice(1).map((second, before) => `${characters[before]}${second}`);
}

/** An identifier's letters and digits as one word: `Order_Date`, `orderDate` and `order date` are the same. */
export function joinWords(name: string, words: readonly string[]): string {
  if (words.length === 1 && words[0]?.length === name.length) return words[0];
  return ASCII.test(name) ? words.join('') : foldCase(name).replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Whether a folded word says nothing about a schema. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/**
 * A form that a word shares with its plural and its verb forms; not a word itself. Lighter than Porter's stemmer: it
 * takes off plural, -ing and -ed only, since `similarity` catches the rest.
 */
export function stem(word: string): string {
  const base = IRREGULAR.get(word) ?? word;
  if (base.length <= 3) return base;
  let form = withoutPlural(base);
  if (/[^aeiou].*ing$/.test(form) && form.length > 5) form = singleEnd(form.slice(0, -3));
  else if (/[^aeiou].*[^e]ed$/.test(form) && form.length > 4) form = singleEnd(form.slice(0, -2));
  if (form.endsWith('e') && form.length > 4) form = form.slice(0, -1);
  return form.endsWith('y') && form.length > 3 ? `${form.slice(0, -1)}i` : form;
}

function withoutPlural(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh|z)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}

/** `shipp` of `shipping` as `ship`. */
function singleEnd(form: string): string {
  return /([bdfgmnprt])\1$/.test(form) ? form.slice(0, -1) : form;
}

const SHORTEST_SIMILAR = 4;
const SHORTEST_INSIDE = 5;
const COMMON_BEGINNING = 0.6;

/**
 * How alike two stems are that are not equal, from 0 to 1: the share of a common beginning (`rent`, `rental`), or of one
 * inside the other (`business` in `businessentityid`). 0 where it is too short to mean something.
 */
export function similarity(a: string, b: string): number {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length < SHORTEST_SIMILAR) return 0;
  let common = 0;
  while (common < short.length && short.charCodeAt(common) === long.charCodeAt(common)) common += 1;
  const beginning = common / long.length;
  if (common >= SHORTEST_SIMILAR && beginning >= COMMON_BEGINNING) return beginning;
  return short.length >= SHORTEST_INSIDE && long.includes(short) ? short.length / long.length : 0;
}

const ASCII = /^[\0-\x7f]*$/;
const CASED = /[A-Z]|[^\0-\x7f]/gu;
const CHEROKEE = /\p{Script=Cherokee}/u;
const WORD = /[\p{L}\p{N}]+/gu;

/** White space of Unicode, and the separators U+001C to U+001F, which the reference of `lines-1` counts too. */
const SPACE = `[\\p{White_Space}${String.fromCharCode(0x1c)}-${String.fromCharCode(0x1f)}]`;
const SPACES = new RegExp(`${SPACE}+`, 'gu');
const BLANK = new RegExp(`^${SPACE}*$`, 'u');
const EDGES = new RegExp(`^${SPACE}+|${SPACE}+$`, 'gu');

/**
 * Digits: the decimal ones of all scripts and those of Numeric_Type Digit (superscripts, circled …,
 * https://www.unicode.org/Public/UCD/latest/ucd/extracted/DerivedNumericType.txt).
 */
const DIGITS =
  /^[\p{Nd}\u00b2\u00b3\u00b9\u1369-\u1371\u19da\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u2474-\u247c\u2488-\u2490\u24ea\u24f5-\u24fd\u24ff\u2776-\u277e\u2780-\u2788\u278a-\u2792\u{10a40}-\u{10a43}\u{10e60}-\u{10e68}\u{11052}-\u{1105a}\u{1f100}-\u{1f10a}]+$/u;

/** Words that say too little alone to be looked up among the values of a database. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an the of in on at to for and or not is are was were be by with from as it its this that these those all any each
  who what which when where how many much there their have has had do does did name names id ids no yes than more most
  least less between list show give find number`.split(/\s+/),
);

function foldCharacter(character: string): string {
  // Full case folding takes Cherokee to its upper case and leaves the dotless i alone; the round trip does neither.
  if (character === 'ı') return character;
  if (CHEROKEE.test(character)) return character.toUpperCase();
  // Twice lower: the capital ß becomes "ß" first, then "SS", then "ss". One character at a time, so that no sigma is final.
  return character
    .toLowerCase()
    .toUpperCase()
    .replace(/./gsu, (upper) => upper.toLowerCase());
}

/**
 * Full case folding of Unicode (status C and F of CaseFolding.txt; no Turkic, no normalisation): ß = ss, ς = σ.
 * JavaScript has no such function; the round trip lower, upper, lower of each character gives it but for the exceptions
 * in `foldCharacter`, which was compared with Unicode 14 for all characters.
 */
export function foldCase(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : text.replace(CASED, foldCharacter);
}

/** The words of a text: runs of letters and numbers, case-folded. */
export function wordsOf(text: string): string[] {
  return foldCase(text).match(WORD) ?? [];
}

/** Runs of white space made one space, ends trimmed. */
export function collapseSpaces(text: string): string {
  return text.replace(SPACES, ' ').replace(/^ | $/g, '');
}

/** Whether a text holds nothing but white space. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}

/** Whether a text, trimmed, is one or more digits of any script. */
export function isDigits(text: string): boolean {
  return DIGITS.test(text.replace(EDGES, ''));
}

/** Whether a case-folded word is a stop word. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** Length in code points. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index + 1 < text.length; index += 1)
    if (isHighSurrogate(text.charCodeAt(index)) && isLowSurrogate(text.charCodeAt(index + 1))) count -= 1;
  return count;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Compares by code point; the built-in order is by UTF-16 unit, which puts emoji before U+E000 to U+FFFF. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left === right) continue;
    // Surrogates stand for characters above all others.
    const leftIsAbove = left >= 0xd800 && left <= 0xdfff;
    const rightIsAbove = right >= 0xd800 && right <= 0xdfff;
    return leftIsAbove === rightIsAbove ? left - right : leftIsAbove ? 1 : -1;
  }
  return a.length - b.length;
}

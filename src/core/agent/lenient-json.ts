// Reads JSON as language models write it: line feeds inside strings, trailing commas, single and triple quotes, Python's
// True, False and None. What standard JSON means, it means here too.

/** Deeper nesting than this is no reply of ours. */
const MAX_DEPTH = 20;

export type LooseJson = null | boolean | number | string | LooseJson[] | { [key: string]: LooseJson };

class NotJson extends Error {}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };
const WORDS: Record<string, LooseJson> = { true: true, True: true, false: false, False: false, null: null, None: null };
const NUMBER = /[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const WORD = /[A-Za-z_]\w*/y;
const SPACE = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;

class Reader {
  readonly text: string;
  at: number;

  constructor(text: string, at: number) {
    this.text = text;
    this.at = at;
  }

  value(depth: number): LooseJson {
    if (depth > MAX_DEPTH) throw new NotJson();
    this.take(SPACE);
    const next = this.text[this.at] ?? '';
    if (next === '{') return this.object(depth);
    if (next === '[') return this.list(depth);
    if (next === '"' || next === "'") return this.quoted();
    const number = this.take(NUMBER);
    if (number !== '') return Number(number);
    return this.word();
  }

  private object(depth: number): LooseJson {
    const found: Record<string, LooseJson> = Object.create(null);
    this.at += 1;
    while (!this.closes('}')) {
      const key = /["']/.test(this.text[this.at] ?? '') ? this.quoted() : this.take(WORD);
      if (key === '') throw new NotJson();
      this.expect(':');
      found[key] = this.value(depth + 1);
      this.separate('}');
    }
    return found;
  }

  private list(depth: number): LooseJson {
    const found: LooseJson[] = [];
    this.at += 1;
    while (!this.closes(']')) {
      found.push(this.value(depth + 1));
      this.separate(']');
    }
    return found;
  }

  private quoted(): string {
    const quote = this.text[this.at] ?? '';
    if (this.text.startsWith(quote.repeat(3), this.at)) return this.tripled(quote.repeat(3));
    let found = '';
    this.at += 1;
    while (this.text[this.at] !== quote) {
      if (this.at >= this.text.length) throw new NotJson();
      found += this.text[this.at] === '\\' ? this.escape() : this.text[this.at];
      this.at += 1;
    }
    this.at += 1;
    return found;
  }

  private tripled(quotes: string): string {
    const end = this.text.indexOf(quotes, this.at + 3);
    if (end < 0) throw new NotJson();
    const found = this.text.slice(this.at + 3, end);
    this.at = end + 3;
    return found.trim();
  }

  /** Reads the escape at the backslash and stays on its last character. An escape that JSON does not know is the character itself. */
  private escape(): string {
    this.at += 1;
    const letter = this.text[this.at] ?? '';
    const code = letter === 'u' ? /^[0-9a-fA-F]{4}/.exec(this.text.slice(this.at + 1, this.at + 5))?.[0] : undefined;
    if (code === undefined) return ESCAPES[letter] ?? letter;
    this.at += 4;
    return String.fromCharCode(Number.parseInt(code, 16));
  }

  private word(): LooseJson {
    const word = this.take(WORD);
    if (!Object.hasOwn(WORDS, word)) throw new NotJson();
    return WORDS[word] ?? null;
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  private expect(mark: string): void {
    this.take(SPACE);
    if (this.text[this.at] !== mark) throw new NotJson();
    this.at += 1;
  }

  private closes(mark: string): boolean {
    this.take(SPACE);
    if (this.text[this.at] !== mark) return false;
    this.at += 1;
    return true;
  }

  private separate(close: string): void {
    this.take(SPACE);
    if (this.text[this.at] === ',') this.at += 1;
    else if (this.text[this.at] !== close) throw new NotJson();
  }
}

/** The JSON object that begins at `at` and the offset behind it; null where there is none. */
export function readObject(text: string, at: number): { value: Record<string, LooseJson>; end: number } | null {
  const reader = new Reader(text, at);
  try {
    const value = reader.value(0);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
    return { value, end: reader.at };
  } catch (error) {
    if (error instanceof NotJson) return null;
    throw error;
  }
}

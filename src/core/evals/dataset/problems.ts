/** What is wrong at one place of a dataset file. */
export interface Problem {
  /** Line of the file, from 1; null where the whole file is meant. */
  line: number | null;
  /** Begins in lower case, without a full stop. */
  text: string;
}

/** How many problems of one file are kept; the others are counted. */
const KEPT_PROBLEMS = 20;

/** Collects the problems of one file. */
export class Problems {
  readonly #kept: Problem[] = [];
  /** All of them, the kept ones among them. */
  count = 0;

  add(line: number | null, text: string): void {
    this.count++;
    if (this.#kept.length < KEPT_PROBLEMS) this.#kept.push({ line, text });
  }

  /** The kept ones in the order of their lines. */
  get inOrder(): Problem[] {
    return this.#kept.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  }
}

/** `line 12: field "SQL" is missing`. */
export function problemText({ line, text }: Problem): string {
  return line === null ? text : `line ${line}: ${text}`;
}

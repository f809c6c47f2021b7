import { isStopWord, joinWords, splitWords, stem } from './words.ts';

/** A name of tables or columns, read once however often it stands in a catalog. */
export interface IndexedName {
  /** Position in the list of all names. */
  id: number;
  name: string;
  /** Its letters and digits as one word. */
  joined: string;
  /** The same with the last word as its stem. */
  joinedStem: string;
  /** Ids of the stems of its words, less stop words where others remain. */
  words: readonly number[];
  /** Whether it is a column for the name of a person. */
  isPersonName: boolean;
  /** Whether it is a column for a name or a title. */
  isLabel: boolean;
}

const PERSON_NAME =
  /^(?:first|last|given|family|full|middle|maiden|f|l)name$|surname|(?:first|last|full|person)name|name(?:first|last|full|given)/;

interface Word {
  id: number;
  stem: string;
  isStop: boolean;
}

/** Reads names and gives ids to them and to the stems of their words. */
export class NameReader {
  readonly names: IndexedName[] = [];
  /** Ids of stems. */
  readonly stems = new Map<string, number>();
  readonly #byName = new Map<string, IndexedName>();
  readonly #words = new Map<string, Word>();

  read(name: string): IndexedName {
    const known = this.#byName.get(name);
    if (known) return known;
    const read = this.#read(name);
    this.#byName.set(name, read);
    this.names.push(read);
    return read;
  }

  #read(name: string): IndexedName {
    const parts = splitWords(name);
    const words = parts.map((part) => this.#word(part));
    const telling = words.filter(({ isStop }) => !isStop);
    const joined = joinWords(name, parts);
    const last = parts.at(-1) ?? '';
    return {
      id: this.names.length,
      name,
      joined,
      joinedStem: joined.endsWith(last)
        ? joined.slice(0, joined.length - last.length) + (words.at(-1)?.stem ?? '')
        : joined,
      words: (telling.length > 0 ? telling : words).map(({ id }) => id),
      isPersonName: joined.includes('name') && PERSON_NAME.test(joined),
      isLabel: joined.includes('name') || joined.includes('title'),
    };
  }

  #word(part: string): Word {
    const known = this.#words.get(part);
    if (known) return known;
    const form = stem(part);
    const id = this.stems.get(form) ?? this.stems.size;
    this.stems.set(form, id);
    const word = { id, stem: form, isStop: isStopWord(part) };
    this.#words.set(part, word);
    return word;
  }
}

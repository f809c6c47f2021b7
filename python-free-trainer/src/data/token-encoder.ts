import { Tokenizer as Library } from '@huggingface/tokenizers';
import { byteText } from './byte-characters.ts';
import { tokenizerUnreadable } from './errors.ts';
import { GPT2_SPLIT } from './pre-tokenizers.ts';
import { type AddedToken, stepsOf, type TokenizerDefinition } from './tokenizer-definition.ts';

export interface EncodeOptions {
  /** Parse special tokens (`<|im_end|>` …) that stand in the text; else they are text like any other. */
  special: boolean;
  /** A character that is taken out of the text after special tokens have been found: what it stands in is no special token. */
  breaker?: string;
}

/** Words whose tokens are kept. Training data says the same few ten thousand words again and again. */
const KEPT_WORDS = 400_000;
/** Longer words are not kept. */
const LONGEST_KEPT = 64;

/** A text that every vocabulary knows. */
const PROBE = "SELECT name, 'x' FROM t WHERE a_b >= 12.5;";

/** What is used of the library's tokenizer. Its own declarations do not resolve under `nodenext`. */
interface LibraryTokenizer {
  normalizer: { normalize(text: string): string } | null;
  pre_tokenizer: { pre_tokenize(text: string): string[] } | null;
  model: { encode(words: string[]): string[]; tokens_to_ids: ReadonlyMap<string, number> };
  decode(ids: number[], options: { skip_special_tokens: boolean; clean_up_tokenization_spaces: boolean }): string;
}

/** Byte-level BPE by `@huggingface/tokenizers`, which remembers the tokens of every word. */
export class TokenEncoder {
  readonly #library: LibraryTokenizer;
  readonly #words = new Map<string, readonly number[]>();
  readonly #added: ReadonlyMap<string, AddedToken>;
  /** Finds all added tokens, or those that any text may hold. */
  readonly #everywhere: RegExp | null;
  readonly #inText: RegExp | null;

  /** @throws AppError `tokenizer_unreadable` where the library refuses it */
  constructor(definition: TokenizerDefinition, special: ReadonlyMap<string, number>) {
    const { json, file } = definition;
    const added = json.added_tokens;
    try {
      this.#library = new Library({ ...json, pre_tokenizer: splitSteps(definition), post_processor: null }, {});
    } catch (error) {
      throw tokenizerUnreadable(file, error instanceof Error ? error.message : String(error));
    }
    this.#added = new Map(added.map((token) => [token.content, token]));
    this.#everywhere = anyOf(added.map(({ content }) => content));
    this.#inText = anyOf(added.map(({ content }) => content).filter((content) => !special.has(content)));
    if (this.decode(this.encode(PROBE, { special: false })) !== PROBE)
      throw tokenizerUnreadable(file, 'a text does not come back from its tokens');
  }

  encode(text: string, { special, breaker }: EncodeOptions): Int32Array {
    const ids: number[] = [];
    const pattern = special ? this.#everywhere : this.#inText;
    let stripNext = false;
    let from = 0;
    const plain = (end: number, stripEnd: boolean) => {
      let section = text.slice(from, end);
      if (stripNext) section = section.trimStart();
      if (stripEnd) section = section.trimEnd();
      if (breaker !== undefined) section = section.replaceAll(breaker, '');
      this.#encodePlain(section, ids);
    };
    for (const match of pattern === null ? [] : text.matchAll(pattern)) {
      const token = this.#added.get(match[0]);
      if (token === undefined) continue;
      plain(match.index, token.lstrip === true);
      ids.push(token.id);
      from = match.index + match[0].length;
      stripNext = token.rstrip === true;
    }
    plain(text.length, false);
    return new Int32Array(ids);
  }

  decode(ids: ArrayLike<number>): string {
    if (ids.length === 0) return '';
    return this.#library.decode(Array.from(ids), { skip_special_tokens: false, clean_up_tokenization_spaces: false });
  }

  #encodePlain(section: string, into: number[]): void {
    if (section === '') return;
    const { normalizer, pre_tokenizer: splitter } = this.#library;
    const text = normalizer === null ? section : normalizer.normalize(section);
    for (const word of splitter === null ? [text] : splitter.pre_tokenize(text)) {
      let tokens = this.#words.get(word);
      if (tokens === undefined) {
        tokens = this.#wordTokens(word);
        if (word.length <= LONGEST_KEPT && this.#words.size < KEPT_WORDS) this.#words.set(word, tokens);
      }
      for (const id of tokens) into.push(id);
    }
  }

  #wordTokens(word: string): number[] {
    const ids: number[] = [];
    const { model } = this.#library;
    for (const token of model.encode([byteText(word)])) {
      const id = model.tokens_to_ids.get(token);
      if (id !== undefined) ids.push(id);
    }
    return ids;
  }
}

/** The steps that cut a text into words: those of the pre-tokenizer without the one that turns words into bytes. */
function splitSteps({ json }: TokenizerDefinition): object | null {
  const steps = stepsOf(json.pre_tokenizer);
  const last = steps.pop();
  // The library's default, and tokenizers', is that a byte-level step splits too.
  if (last?.['use_regex'] !== false) steps.push(GPT2_SPLIT);
  return steps.length === 0 ? null : { type: 'Sequence', pretokenizers: steps };
}

/** Finds any of these texts, the longest first; null for none. */
function anyOf(texts: readonly string[]): RegExp | null {
  if (texts.length === 0) return null;
  const longestFirst = texts.toSorted((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map((text) => text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)).join('|'), 'g');
}

import { createHash } from 'node:crypto';
import { count, counted } from '../../../src/protocol/figures.ts';
import type { HashedFile } from '../../../src/protocol/training.ts';
import { type Example, encodeConversation } from './conversation.ts';
import { hashDataFile, readDataLines } from './data-file.ts';
import { type DataLine, type LineProblem, parseDataLine } from './data-line.ts';
import { type DataProblem, dataAllTooLong, dataEmpty, dataInvalid, dataUnreadable } from './errors.ts';
import { openTemplate } from './template.ts';
import { readTokenCache, tokenCacheKey, writeTokenCache } from './token-cache.ts';
import type { Tokenizer } from './tokenizer.ts';

/** How many bad lines a message lists. */
const LISTED = 20;

export interface ExampleOptions {
  /** Longer examples are left out and counted, in tokens. */
  maxLength: number;
  /** Folder of the cache of tokens; null: none. */
  cache: string | null;
}

/** What was found in a data file. */
export interface ExampleCounts {
  /** Lines with an example. */
  lines: number;
  /** Lines that say what an earlier one says; they are kept. */
  duplicates: number;
  /** Lines that are repairs: a query that fails, its error, and the right query. */
  repairs: number;
  /** Examples that are longer than allowed and left out, and the tokens of the longest. */
  tooLong: number;
  longestLeftOut: number;
  /** Tokens of the examples that are kept, and those of them that are learned. */
  tokens: number;
  lossTokens: number;
}

/** The examples of a data file, in its order. */
export interface Examples {
  file: HashedFile;
  examples: Example[];
  /** A number for each example that is the same for those of one item: the number of its first line. */
  items: Int32Array;
  counts: ExampleCounts;
  /** What a user should know, sentences. */
  notes: string[];
  /** Whether they came from the cache. */
  cached: boolean;
}

/**
 * Reads training data and turns it into tokens by the model's own template, or takes them from the cache.
 * @throws AppError `data_missing`, `data_unreadable`, `data_empty`, `data_invalid` (the first bad lines with their fields),
 *   `data_all_too_long`, `template_missing`, `template_broken`, `tokenizer_unreadable`
 */
export async function loadExamples(path: string, tokenizer: Tokenizer, options: ExampleOptions): Promise<Examples> {
  const file = await hashDataFile(path);
  const key = tokenCacheKey({ data: file.sha256, tokenizer: tokenizer.definition.hash, maxLength: options.maxLength });
  const cached = options.cache === null ? null : await readTokenCache(options.cache, key);
  if (cached !== null) return { ...cached, file, notes: notesOf(tokenizer, cached.counts, options), cached: true };
  const made = await tokenise(path, tokenizer, options.maxLength);
  // Else the tokens of other lines would be kept under this hash.
  if ((await hashDataFile(path)).sha256 !== file.sha256) throw dataUnreadable(path, 'it was changed while it was read');
  if (options.cache !== null) await writeTokenCache(options.cache, key, made);
  return { ...made, file, notes: notesOf(tokenizer, made.counts, options), cached: false };
}

async function tokenise(
  path: string,
  tokenizer: Tokenizer,
  maxLength: number,
): Promise<Pick<Examples, 'examples' | 'items' | 'counts'>> {
  const template = openTemplate(tokenizer);
  const counts: ExampleCounts = {
    lines: 0,
    duplicates: 0,
    repairs: 0,
    tooLong: 0,
    longestLeftOut: 0,
    tokens: 0,
    lossTokens: 0,
  };
  const examples: Example[] = [];
  const items: number[] = [];
  const firstLines = new Map<string, number>();
  const problems: DataProblem[] = [];
  const seen = new Set<string>();
  let bad = 0;
  let shortest = Number.POSITIVE_INFINITY;
  for await (const { number, text } of readDataLines(path)) {
    const read = readLine(text, (messages) => encodeConversation(messages, template, tokenizer));
    if ('problems' in read) {
      bad += 1;
      problems.push(
        ...read.problems.map((problem) => ({ line: number, ...problem })).slice(0, LISTED - problems.length),
      );
      continue;
    }
    counts.lines += 1;
    if (read.isRepair) counts.repairs += 1;
    const digest = createHash('sha1').update(read.content).digest('base64');
    if (seen.has(digest)) counts.duplicates += 1;
    seen.add(digest);
    const item = read.item === null ? number : (firstLines.get(read.item) ?? number);
    if (read.item !== null) firstLines.set(read.item, item);
    for (const example of read.examples) {
      const { length } = example.tokens;
      shortest = Math.min(shortest, length);
      if (length > maxLength) {
        counts.tooLong += 1;
        counts.longestLeftOut = Math.max(counts.longestLeftOut, length);
        continue;
      }
      examples.push(example);
      items.push(item);
      counts.tokens += length;
      for (const learned of example.loss) counts.lossTokens += learned;
    }
  }
  if (bad > 0) throw dataInvalid(path, problems, bad);
  if (counts.lines === 0) throw dataEmpty(path);
  if (examples.length === 0) throw dataAllTooLong(path, maxLength, shortest);
  return { examples, items: Int32Array.from(items), counts };
}

/** One line: its examples, what it is of, and its words (for finding duplicates), or what is wrong with it. */
function readLine(
  text: string | null,
  encode: (messages: Parameters<typeof encodeConversation>[0]) => Example[],
): (Omit<DataLine, 'messages'> & { examples: Example[]; content: string }) | { problems: LineProblem[] } {
  if (text === null) return { problems: [{ field: '', problem: 'is not UTF-8' }] };
  const parsed = parseDataLine(text);
  if ('problems' in parsed) return parsed;
  try {
    const { messages, ...line } = parsed;
    return { ...line, examples: encode(messages), content: JSON.stringify(messages) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { problems: [{ field: 'messages', problem: `the chat template refuses it: ${reason}` }] };
  }
}

function notesOf(tokenizer: Tokenizer, counts: ExampleCounts, { maxLength }: ExampleOptions): string[] {
  const notes = [...openTemplate(tokenizer).notes];
  if (counts.tooLong > 0)
    notes.push(
      `${counted(counts.tooLong, 'example')} with more than ${count(maxLength)} tokens left out; the longest has ${counts.longestLeftOut}.`,
    );
  if (counts.duplicates > 0)
    notes.push(`Lines that say what an earlier line says: ${count(counts.duplicates)}. They are learned as often.`);
  return notes;
}

import type { ChatProgress, ChatReply } from '../../core/ports.ts';
import { AppError } from '../../protocol/errors.ts';
import { KeyFilter } from './openai-address.ts';
import { failedMidway, interrupted, malformed, webPage } from './openai-errors.ts';
import type { Answer } from './openai-http.ts';
import { serverError } from './openai-request.ts';
import { eventData, parsePiece, type StreamPiece } from './openai-stream.ts';

/** A whole answer longer than this, envelope included, is not one of a chat. */
const WHOLE_CHARACTERS = 8_000_000;
/** White space before an answer that is longer than this is no answer. */
const BLANK_CHARACTERS = 1_000_000;

/** Yields what was read already, then the rest. */
async function* chained(head: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield head;
  yield* rest;
}

/** The beginning of a body up to its first character that is no white space. */
async function beginningOf(body: AsyncGenerator<string>): Promise<string> {
  let head = '';
  let passed = 0;
  while (head.trim() === '') {
    const next = await body.next();
    if (next.done) return '';
    passed += next.value.length;
    if (passed > BLANK_CHARACTERS) throw new RangeError('white space without end');
    head = head.slice(-1) + next.value;
  }
  return head;
}

/** All of a body, at most `limit` characters of it. */
export async function wholeText(body: AsyncIterable<string>, limit: number): Promise<string> {
  let text = '';
  for await (const chunk of body) {
    text += chunk;
    if (text.length > limit) break;
  }
  return text.slice(0, limit);
}

/** Gathers the pieces of one answer. */
class Gathered {
  text = '';
  finish: string | null = null;
  usage: StreamPiece['usage'] = null;
  pieces = 0;
  readonly #root: string;
  readonly #progress: ChatProgress;
  readonly #filter: KeyFilter;
  #isThinking = false;

  constructor(root: string, progress: ChatProgress, apiKey: string | null) {
    this.#root = root;
    this.#progress = progress;
    this.#filter = new KeyFilter(apiKey);
  }

  add(json: string): void {
    const piece = parsePiece(json);
    if (piece === null) throw malformed(this.#root, 'a part of it is not JSON of a chat', this.text);
    if (piece.error !== null) throw failedMidway(this.#root, serverError({ error: piece.error }).message, this.text);
    this.pieces += 1;
    this.finish = piece.finish ?? this.finish;
    this.usage = piece.usage ?? this.usage;
    if (piece.isThinking && !this.#isThinking) this.#progress.onPhase?.('generating', 'The model is thinking.');
    this.#isThinking ||= piece.isThinking;
    this.#append(this.#filter.push(piece.text));
  }

  /** Nothing more will come. */
  end(): void {
    this.#append(this.#filter.end());
  }

  #append(text: string): void {
    if (text === '') return;
    if (this.text === '') this.#progress.onPhase?.('generating', null);
    this.text += text;
    this.#progress.onToken?.(text);
  }

  reply(maxCharacters: number): ChatReply {
    const isEndless = this.text.length > maxCharacters;
    return {
      text: this.text.slice(0, maxCharacters),
      promptTokens: this.usage?.prompt ?? null,
      completionTokens: this.usage?.completion ?? null,
      finish: isEndless || this.finish === 'length' ? 'length' : 'stop',
    };
  }
}

/** Reads a stream of events up to its end mark. @returns true where the end mark came */
async function gatherEvents(body: AsyncGenerator<string>, gathered: Gathered, maxCharacters: number): Promise<boolean> {
  for await (const data of eventData(body)) {
    if (data === '[DONE]') return true;
    gathered.add(data);
    if (gathered.text.length > maxCharacters) return true;
  }
  return gathered.finish !== null;
}

async function gather(answer: Answer, root: string, gathered: Gathered, maxCharacters: number): Promise<void> {
  const body = answer.text();
  const head = await beginningOf(body);
  const first = head.trim()[0];
  if (first === '<') throw webPage(root);
  if (first === '{') {
    gathered.add(await wholeText(chained(head, body), WHOLE_CHARACTERS));
    return;
  }
  const ended = first !== undefined && (await gatherEvents(chained(head, body), gathered, maxCharacters));
  if (!ended && !answer.isComplete()) throw interrupted(root, gathered.text);
  if (gathered.pieces === 0)
    throw malformed(root, first === undefined ? 'it is empty' : 'it holds no part of a chat', '');
}

/**
 * Reads the answer of a chat, streamed or whole: its first character tells, since servers send either under any type.
 *
 * @param maxCharacters an answer is cut there and counts as cut at the limit of tokens
 * @param apiKey taken out of the reply where a server repeats it
 * @throws AppError `provider_…` or `cancelled`, with what came of the reply in `data.text`
 */
export async function readReply(
  answer: Answer,
  root: string,
  maxCharacters: number,
  progress: ChatProgress,
  apiKey: string | null,
): Promise<ChatReply> {
  const gathered = new Gathered(root, progress, apiKey);
  try {
    await gather(answer, root, gathered, maxCharacters).finally(() => gathered.end());
    return gathered.reply(maxCharacters);
  } catch (error) {
    if (error instanceof RangeError) throw malformed(root, error.message, gathered.text);
    if (error instanceof AppError)
      throw new AppError(error.code, error.message, { ...error.data, text: gathered.text });
    throw error;
  } finally {
    answer.drop();
  }
}

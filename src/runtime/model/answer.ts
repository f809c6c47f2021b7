import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import type { ModelChat, ModelTimings } from '../../protocol/model-channel.ts';
import { chatTokens } from './chatml.ts';
import { cancelled } from './errors.ts';
import type { LlamaEngine } from './llama-engine.ts';
import { StateFiles } from './state-files.ts';

/** Shorter prefixes are evaluated faster than their state is found on disk. */
const LEAST_SAVED_TOKENS = 64;

export interface AnswerEvents {
  reading(promptTokens: number, readTokens: number): void;
  writing(): void;
  text(piece: string): void;
}

export interface Answer {
  text: string;
  finish: 'stop' | 'length';
  timings: ModelTimings;
}

interface Reading {
  engine: LlamaEngine;
  sequence: LlamaContextSequence;
  isCancelled: () => boolean;
}

/** Evaluates `tokens` in steps, looking for a cancellation between them. @throws AppError `cancelled`. */
async function read({ engine, sequence, isCancelled }: Reading, tokens: Token[]): Promise<void> {
  const chunk = engine.chunkTokens;
  for (let at = 0; at < tokens.length; at += chunk) {
    if (isCancelled()) throw cancelled('The answer');
    await engine.step(() => sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(at, at + chunk)));
  }
}

/** Brings the sequence to the longest known state that begins like `tokens`, from memory or else from disk. */
async function restore(
  sequence: LlamaContextSequence,
  tokens: Token[],
  saved: { files: StateFiles; key: string; length: number } | null,
): Promise<ModelTimings['state']> {
  const inMemory = sequence.compareContextTokens(tokens).firstDifferentIndex;
  const path = saved && inMemory < saved.length ? await saved.files.find(saved.key) : null;
  if (saved && path) {
    await sequence.loadStateFromFile(path, { acceptRisk: true });
    if (sequence.compareContextTokens(tokens).firstDifferentIndex >= saved.length) return 'disk';
  }
  await sequence.adaptStateToTokens(tokens, false);
  return sequence.nextTokenIndex > 0 ? 'memory' : 'none';
}

/**
 * Text of tokens as they come; bytes of a character that is not complete yet are held back. Answers are one line: a line
 * feed after something written ends them, as the end token does.
 */
class LineStream {
  readonly #engine: LlamaEngine;
  readonly #tokens: Token[] = [];
  #sent = 0;
  text = '';
  /** True where the line has ended; what followed in the same token is dropped. */
  hasEnded = false;

  constructor(engine: LlamaEngine) {
    this.#engine = engine;
  }

  get tokens(): number {
    return this.#tokens.length;
  }

  /** @returns what is new of the text. */
  push(token: Token): string {
    this.#tokens.push(token);
    this.text = this.#engine.model.detokenize(this.#tokens);
    const begin = this.text.search(/\S/);
    const end = begin < 0 ? -1 : this.text.indexOf('\n', begin);
    this.hasEnded = end >= 0;
    if (this.hasEnded) this.text = this.text.slice(0, end);
    if (this.text.endsWith('\ufffd')) return '';
    const piece = this.text.slice(this.#sent);
    this.#sent = this.text.length;
    return piece;
  }
}

async function write(
  engine: LlamaEngine,
  sequence: LlamaContextSequence,
  last: Token[],
  chat: ModelChat,
  events: AnswerEvents,
  isCancelled: () => boolean,
): Promise<{ text: string; tokens: number; finish: Answer['finish'] }> {
  const stream = new LineStream(engine);
  const room = Math.min(chat.maxTokens, sequence.contextSize - sequence.nextTokenIndex - last.length);
  const sampling = {
    temperature: chat.temperature,
    yieldEogToken: true,
    ...(chat.seed === null ? {} : { seed: chat.seed }),
  };
  for await (const token of engine.stepwise(sequence.evaluate(last, sampling))) {
    if (isCancelled()) throw cancelled('The answer', stream.text);
    if (engine.model.isEogToken(token)) return { text: stream.text, tokens: stream.tokens, finish: 'stop' };
    const piece = stream.push(token);
    if (piece !== '') events.text(piece);
    if (stream.hasEnded) return { text: stream.text, tokens: stream.tokens, finish: 'stop' };
    if (stream.tokens >= room) break;
  }
  return { text: stream.text, tokens: stream.tokens, finish: 'length' };
}

/**
 * Answers one chat. The state after the stable prefix is taken from the last chat, or from disk, and saved there when
 * it is new.
 * @throws AppError `prompt_too_long`, `cancelled`.
 */
export async function answer(
  engine: LlamaEngine,
  files: StateFiles | null,
  weights: string,
  chat: ModelChat,
  events: AnswerEvents,
  isCancelled: () => boolean,
): Promise<Answer> {
  const prompt = chatTokens(chat.messages, chat.stablePrefix, engine.tokenize);
  const tokens = prompt.tokens as Token[];
  const sequence = await engine.sequenceFor(tokens.length, chat.maxTokens);
  const stable = Math.min(prompt.stable, tokens.length - 1);
  const prefix = tokens.slice(0, stable);
  const saved =
    files && chat.keepState && stable >= LEAST_SAVED_TOKENS
      ? { files, key: StateFiles.key(weights, await engine.description(), prefix), length: stable }
      : null;

  // The last token is always evaluated again: the answer is sampled from what it yields.
  const state = await restore(sequence, tokens.slice(0, -1), saved);
  const kept = sequence.nextTokenIndex;
  events.reading(tokens.length, tokens.length - kept);
  const reading: Reading = { engine, sequence, isCancelled };
  const started = performance.now();
  if (kept < stable) {
    await read(reading, tokens.slice(kept, stable));
    if (saved) await saved.files.keep(saved.key, (path) => sequence.saveStateToFile(path));
  }
  await read(reading, tokens.slice(Math.max(kept, stable), -1));
  const readAt = performance.now();
  if (isCancelled()) throw cancelled('The answer');
  events.writing();
  const written = await write(engine, sequence, tokens.slice(-1), chat, events, isCancelled);
  return {
    text: written.text,
    finish: written.finish,
    timings: {
      promptTokens: tokens.length,
      readTokens: tokens.length - kept,
      readMs: readAt - started,
      writtenTokens: written.tokens,
      writeMs: performance.now() - readAt,
      state,
    },
  };
}

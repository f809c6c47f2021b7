import type { ChatMessage } from '../../core/ports.ts';

/** Turns text into token ids; `special`: text of special tokens becomes those tokens. */
export type Tokenize = (text: string, special: boolean) => number[];

export interface PromptTokens {
  tokens: number[];
  /** How many of them do not depend on the question. */
  stable: number;
}

const START = '<|im_start|>';
const END = '<|im_end|>';

function commonLength(a: readonly number[], b: readonly number[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

/**
 * Tokens of a ChatML prompt that ends where the assistant's answer begins. Only the frame's tokens are special: text of
 * messages that looks like one stays plain text. No BOS.
 * @param stablePrefix characters of the first user message that do not depend on the question.
 */
export function chatTokens(messages: readonly ChatMessage[], stablePrefix: number, tokenize: Tokenize): PromptTokens {
  let tokens: number[] = [];
  let stable = 0;
  for (const { role, content } of messages) {
    tokens = tokens.concat(tokenize(START, true));
    const body = tokenize(`${role}\n${content}`, false);
    if (role === 'user' && stable === 0) {
      // The last token of the prefix alone may differ from the one at its place in the whole text.
      const prefix = tokenize(`${role}\n${content.slice(0, stablePrefix)}`, false);
      stable = stablePrefix > 0 ? tokens.length + commonLength(prefix, body) : 0;
    }
    tokens = tokens.concat(body, tokenize(END, true), tokenize('\n', false));
  }
  return { tokens: tokens.concat(tokenize(START, true), tokenize('assistant\n', false)), stable };
}

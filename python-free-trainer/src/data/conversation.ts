import type { ChatTemplate, Message } from './template.ts';
import type { Tokenizer } from './tokenizer.ts';

/** A text to be learned from, as tokens. */
export interface Example {
  tokens: Int32Array;
  /** 1 for a token that the model is to predict, 0 for one that it only reads; as many as tokens, the first one 0. */
  loss: Uint8Array;
}

/**
 * The examples of a conversation: every assistant's turn with `train` not false is learned after exactly the tokens that
 * the model reads before it answers there. Turns whose prompts go on from each other share one example; where a template
 * writes past turns otherwise (Qwen3 leaves out their thoughts), each turn becomes an example of its own.
 *
 * What a conversation says is plain text: special tokens are found only in what the template writes. A character that
 * stands nowhere in the conversation breaks up those in the contents before the template is applied, and is taken out again.
 * The end of the turn carries loss; what the template writes behind it is nobody's to predict.
 *
 * @throws Error with the template's own words where it refuses the conversation
 */
export function encodeConversation(
  messages: readonly Message[],
  template: ChatTemplate,
  tokenizer: Tokenizer,
): Example[] {
  const { messages: safe, breaker } = breakSpecial(messages, tokenizer.special.keys());
  const encode = (text: string) =>
    tokenizer.encode(text, breaker === null ? { special: true } : { special: true, breaker });
  const examples: Example[] = [];
  safe.forEach(({ role, train }, index) => {
    if (role !== 'assistant' || train === false) return;
    const { prompt, answer } = template.turn(safe, index);
    const example = join(encode(prompt), encode(answer));
    const before = examples.at(-1);
    if (before !== undefined && goesOn(before.tokens, example)) {
      example.loss.set(before.loss);
      examples.pop();
    }
    examples.push(example);
  });
  return examples;
}

function join(prompt: Int32Array, answer: Int32Array): Example {
  const tokens = new Int32Array(prompt.length + answer.length);
  tokens.set(prompt);
  tokens.set(answer, prompt.length);
  // Nothing comes before the first token that it could be predicted from.
  return { tokens, loss: new Uint8Array(tokens.length).fill(1, Math.max(1, prompt.length)) };
}

/** Whether an example begins with all tokens of an earlier turn, and learns nothing among them. */
function goesOn(earlier: Int32Array, { tokens, loss }: Example): boolean {
  if (tokens.length <= earlier.length || loss[earlier.length - 1] === 1) return false;
  return earlier.every((token, index) => tokens[index] === token);
}

/** Puts a character into every special token that stands in a content, so that it is none; null where none had to be. */
function breakSpecial(
  messages: readonly Message[],
  special: Iterable<string>,
): { messages: readonly Message[]; breaker: string | null } {
  const found = [...special].filter((token) => messages.some(({ content }) => content.includes(token)));
  if (found.length === 0) return { messages, breaker: null };
  const breaker = unusedCharacter(messages);
  const longestFirst = found.sort((a, b) => b.length - a.length);
  const broken = messages.map((message) => {
    let { content } = message;
    for (const token of longestFirst) content = content.replaceAll(token, token.slice(0, 1) + breaker + token.slice(1));
    return { ...message, content };
  });
  return { messages: broken, breaker };
}

/** A character of the private use area that no message holds. */
function unusedCharacter(messages: readonly Message[]): string {
  for (let code = 0xe000; code <= 0xf8ff; code += 1) {
    const character = String.fromCharCode(code);
    if (!messages.some(({ content }) => content.includes(character))) return character;
  }
  throw new Error('it holds every character of the private use area');
}

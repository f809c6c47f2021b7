import * as z from 'zod/mini';
import type { CancelSignal, ChatProgress, ChatReply, ChatRequest, Provider } from '../../core/ports.ts';
import { collapseSpaces } from '../../core/schema/words.ts';
import { Protocol } from '../../protocol/ask.ts';
import { AppError } from '../../protocol/errors.ts';
import { cancelled } from './errors.ts';
import { wait } from './wait.ts';

/** One reply of a script. A plain text is that text at once. Times are in milliseconds. */
const ScriptedReply = z.union([
  z.string(),
  z.object({
    text: z.string(),
    /** Before the first token. */
    delayMs: z.optional(z.number()),
    /** Before each further token; a token is a word with the space before it. */
    tokenDelayMs: z.optional(z.number()),
    finish: z.optional(z.enum(['stop', 'length'])),
    promptTokens: z.optional(z.number()),
    completionTokens: z.optional(z.number()),
    /** The error that follows the text: the text is what came of the reply. */
    error: z.optional(z.object({ code: z.string(), message: z.string() })),
  }),
]);
type ScriptedReply = z.infer<typeof ScriptedReply>;

/** Replies given in order, whatever is asked, or by question: for tests and demonstrations. */
const Fields = z.object({
  protocol: Protocol,
  /** Name of the model; `scripted` where it is left out. */
  name: z.optional(z.string()),
  accuracy: z.optional(z.nullable(z.string())),
  /** Time that the first reply spends loading, in milliseconds. */
  loadingMs: z.optional(z.number()),
  replies: z._default(z.array(ScriptedReply), []),
  /** Whether the replies begin anew when they have been given. */
  loop: z.optional(z.boolean()),
  /**
   * Replies by question, so that they do not depend on the order of questions. A list holds one for each turn or, in the
   * protocol `one_shot`, for each sample by its seed, the greedy one first; the last one stands for all that follow. A
   * question that is not among them gets the next of `replies`.
   */
  byQuestion: z.optional(z.record(z.string(), z.union([ScriptedReply, z.array(ScriptedReply)]))),
});

export const Script = Fields.check(
  z.refine(({ replies, byQuestion }) => replies.length > 0 || byQuestion !== undefined, 'it holds no replies'),
);
export type Script = z.infer<typeof Fields>;

function scriptEnded(name: string, count: number): AppError {
  return new AppError(
    'provider_script_ended',
    `The script "${name}" has ${count} ${count === 1 ? 'reply' : 'replies'} and was asked for another. Add one, or set "loop".`,
    { name, count },
  );
}

/** @param question as it was asked; its end where it is long */
function scriptLacks(name: string, question: string): AppError {
  const told = question.length > 200 ? `…${question.slice(-200)}` : question;
  const message = `The script "${name}" has no reply to the question "${told}". Add it to "byQuestion", or give "replies".`;
  return new AppError('provider_script_ended', message, { name, question });
}

function tokensOf(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

/** Streams a reply word by word. @throws AppError `cancelled`, or the reply's own error. */
async function play(reply: ScriptedReply, progress: ChatProgress, signal?: CancelSignal): Promise<ChatReply> {
  const {
    text,
    delayMs = 0,
    tokenDelayMs = 0,
    finish,
    promptTokens,
    completionTokens,
    error,
  } = typeof reply === 'string' ? { text: reply } : reply;
  let told = '';
  const pause = async (ms: number) => {
    if (ms > 0) await wait(ms, signal);
    if (signal?.aborted) throw cancelled('The scripted reply', told);
  };
  progress.onPhase?.('prompting', null);
  await pause(delayMs);
  progress.onPhase?.('generating', null);
  for (const token of tokensOf(text)) {
    await pause(told === '' ? 0 : tokenDelayMs);
    told += token;
    progress.onToken?.(token);
  }
  if (error) throw new AppError(error.code, error.message, { text });
  return {
    text,
    promptTokens: promptTokens ?? null,
    completionTokens: completionTokens ?? null,
    finish: finish ?? 'stop',
  };
}

/** The part of a prompt that depends on the question. */
function questionText({ messages, stablePrefix }: ChatRequest): string {
  const first = messages.find(({ role }) => role === 'user')?.content ?? '';
  return collapseSpaces(first.slice(stablePrefix));
}

/** The question that stands last in the text of a prompt; '' where none does. */
function lastQuestion(text: string): string {
  return /.*Question: (.*)$/.exec(text)?.[1] ?? '';
}

/** Which of a question's replies a request wants, from 0. */
function replyIndex(protocol: Protocol, { messages, seed }: ChatRequest): number {
  return protocol === 'one_shot' ? (seed ?? 0) : messages.filter(({ role }) => role === 'assistant').length;
}

/** The replies of each question; a prompt that holds several of them is about the longest. */
class QuestionReplies {
  readonly #byQuestion: Map<string, ScriptedReply[]>;
  readonly #longestFirst: string[];

  constructor(byQuestion: NonNullable<Script['byQuestion']>) {
    const entries = Object.entries(byQuestion).map(
      ([question, replies]) => [collapseSpaces(question), Array.isArray(replies) ? replies : [replies]] as const,
    );
    this.#byQuestion = new Map(entries);
    this.#longestFirst = [...this.#byQuestion.keys()].sort((a, b) => b.length - a.length);
  }

  find(protocol: Protocol, request: ChatRequest): ScriptedReply | undefined {
    const text = questionText(request);
    const last = lastQuestion(text);
    const question = this.#byQuestion.has(last) ? last : this.#longestFirst.find((key) => text.includes(key));
    const replies = question === undefined ? undefined : this.#byQuestion.get(question);
    return replies?.[Math.min(replyIndex(protocol, request), replies.length - 1)];
  }
}

/**
 * A provider that gives the replies of a script, by question where it names them, else in order.
 *
 * `chat` throws AppError `provider_script_ended` when there is none left, `cancelled`, and the errors of the script.
 */
export function createScriptedProvider(script: z.input<typeof Fields>): Provider {
  const { protocol, replies = [], loop = false, name = 'scripted', loadingMs = 0, byQuestion } = script;
  const questions = byQuestion === undefined ? null : new QuestionReplies(byQuestion);
  let asked = 0;
  let given = 0;
  const next = (request: ChatRequest): ScriptedReply => {
    const reply = replies[loop && replies.length > 0 ? given % replies.length : given];
    if (reply === undefined) {
      if (questions === null || replies.length > 0) throw scriptEnded(name, replies.length);
      const text = questionText(request);
      throw scriptLacks(name, lastQuestion(text) || text);
    }
    given += 1;
    return reply;
  };
  return {
    protocol,
    model: { provider: 'scripted', name, accuracy: script.accuracy ?? null },
    async chat(request, progress, signal) {
      const reply = questions?.find(protocol, request) ?? next(request);
      asked += 1;
      if (asked === 1 && loadingMs > 0) {
        progress.onPhase?.('loading', null);
        await wait(loadingMs, signal);
      }
      return await play(reply, progress, signal);
    },
    dispose: async () => {},
  };
}

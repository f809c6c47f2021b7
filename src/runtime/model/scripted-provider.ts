import * as z from 'zod/mini';
import type { CancelSignal, ChatProgress, ChatReply, Provider } from '../../core/ports.ts';
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

/** Replies given in order, whatever is asked: for tests and demonstrations. */
export const Script = z.object({
  protocol: Protocol,
  /** Name of the model; `scripted` where it is left out. */
  name: z.optional(z.string()),
  accuracy: z.optional(z.nullable(z.string())),
  /** Time that the first reply spends loading, in milliseconds. */
  loadingMs: z.optional(z.number()),
  replies: z.array(ScriptedReply),
  /** Whether the replies begin anew when they have been given. */
  loop: z.optional(z.boolean()),
});
export type Script = z.infer<typeof Script>;

function scriptEnded(name: string, count: number): AppError {
  return new AppError(
    'provider_script_ended',
    `The script "${name}" has ${count} ${count === 1 ? 'reply' : 'replies'} and was asked for another. Add one, or set "loop".`,
    { name, count },
  );
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

/**
 * A provider that gives the replies of a script in order.
 *
 * `chat` throws AppError `provider_script_ended` when there is none left, `cancelled`, and the errors of the script.
 */
export function createScriptedProvider(script: Script): Provider {
  const { replies, loop = false, name = 'scripted', loadingMs = 0 } = script;
  let given = 0;
  return {
    protocol: script.protocol,
    model: { provider: 'scripted', name, accuracy: script.accuracy ?? null },
    async chat(_request, progress, signal) {
      const reply = replies[loop && replies.length > 0 ? given % replies.length : given];
      if (reply === undefined) throw scriptEnded(name, replies.length);
      given += 1;
      if (given === 1 && loadingMs > 0) {
        progress.onPhase?.('loading', null);
        await wait(loadingMs, signal);
      }
      return await play(reply, progress, signal);
    },
    dispose: async () => {},
  };
}

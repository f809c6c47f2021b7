import * as z from 'zod/mini';

/** A line of a stream longer than this is not one of a chat. */
const LINE_CHARACTERS = 1_000_000;

const Usage = z.object({
  prompt_tokens: z.optional(z.number()),
  completion_tokens: z.optional(z.nullable(z.number())),
});
const Part = z.object({ text: z.optional(z.string()) });
const Message = z.object({
  content: z.optional(z.nullable(z.union([z.string(), z.array(Part)]))),
  /** Thinking, as vLLM and DeepSeek send it, and as OpenRouter does. */
  reasoning_content: z.optional(z.nullable(z.string())),
  reasoning: z.optional(z.nullable(z.string())),
});

/** A piece of a streamed answer, or a whole one, as far as it is used here. */
const Piece = z.object({
  choices: z.optional(
    z.array(
      z.object({
        delta: z.optional(z.nullable(Message)),
        message: z.optional(z.nullable(Message)),
        text: z.optional(z.nullable(z.string())),
        finish_reason: z.optional(z.nullable(z.string())),
      }),
    ),
  ),
  usage: z.optional(z.nullable(Usage)),
  error: z.optional(z.unknown()),
});

/** What a piece says: text to append, and what it knows of the end. */
export interface StreamPiece {
  text: string;
  /** True where the piece holds thinking, which is no part of the reply. */
  isThinking: boolean;
  finish: string | null;
  usage: { prompt: number | null; completion: number | null } | null;
  /** The error that a server sends where it cannot change the status any more. */
  error: unknown;
}

function textIn(content: string | { text?: string | undefined }[] | null | undefined): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => text ?? '').join('');
}

/** Reads a piece of JSON. @returns null where it is not one of a chat answer. */
export function parsePiece(json: string): StreamPiece | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return null;
  }
  const piece = Piece.safeParse(value);
  if (!piece.success) return null;
  const { choices, usage, error } = piece.data;
  if (choices === undefined && usage === undefined && error === undefined) return null;
  const choice = choices?.[0];
  const message = choice?.delta ?? choice?.message;
  return {
    text: textIn(message?.content ?? choice?.text),
    isThinking: Boolean(message?.reasoning_content ?? message?.reasoning),
    finish: choice?.finish_reason ?? null,
    usage: usage ? { prompt: usage.prompt_tokens ?? null, completion: usage.completion_tokens ?? null } : null,
    error: error ?? null,
  };
}

/**
 * The data of server-sent events, by the rules of the HTML standard: lines end in CR, LF or both, data lines of one
 * event are joined by a line feed, comments and other fields are passed over. An event that the end of the stream cut
 * off counts, since some servers leave out the last empty line.
 *
 * @throws RangeError where a line, or all that comes between two events, is longer than a million characters
 */
export async function* eventData(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  let data: string[] = [];
  let passed = 0;
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    if (rest.length > LINE_CHARACTERS) throw new RangeError('a line without end');
    for (const line of lines) {
      passed += line.length + 1;
      if (line === '' && data.length > 0) {
        yield data.join('\n');
        data = [];
        passed = 0;
      }
      if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    }
    if (passed > LINE_CHARACTERS) throw new RangeError('an event without end');
  }
  if (rest.startsWith('data:')) data.push(rest.slice(5).trim());
  if (data.length > 0) yield data.join('\n');
}

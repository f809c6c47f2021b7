import type { ChatRequest } from '../../core/ports.ts';

/** Parameters that some servers refuse, and what is sent in their place. */
const ADAPTABLE = ['max_tokens', 'stream_options', 'temperature', 'seed'] as const;
export type Adaptable = (typeof ADAPTABLE)[number];

/** The body of a chat request. @param refused parameters that this server has refused before */
export function chatBody(model: string, request: ChatRequest, refused: ReadonlySet<Adaptable>): string {
  const { messages, temperature, seed, maxTokens } = request;
  const has = (parameter: Adaptable) => !refused.has(parameter);
  return JSON.stringify({
    model,
    messages,
    stream: true,
    ...(has('stream_options') ? { stream_options: { include_usage: true } } : {}),
    ...(has('max_tokens') ? { max_tokens: maxTokens } : { max_completion_tokens: maxTokens }),
    ...(has('temperature') ? { temperature } : {}),
    ...(has('seed') && seed !== null ? { seed } : {}),
  });
}

/** What a server says of an error, in the forms that servers use. */
export interface ServerError {
  message: string;
  param: string | null;
  code: string | null;
}

const DETAIL_CHARACTERS = 300;

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The error in a body: `{"error": {"message"}}`, `{"error": "…"}`, `{"message"}`, `{"detail"}`; a page of HTML says nothing. */
export function serverError(body: unknown): ServerError {
  const outer = isFields(body) ? body : {};
  const inner = isFields(outer['error']) ? outer['error'] : outer;
  const said =
    textOrNull(body) ?? textOrNull(outer['error']) ?? textOrNull(inner['message']) ?? textOrNull(inner['detail']) ?? '';
  const message = said.trim().startsWith('<') ? '' : said.replaceAll(/\s+/g, ' ').trim();
  return {
    message: message.slice(0, DETAIL_CHARACTERS),
    param: textOrNull(inner['param']),
    code: textOrNull(inner['code']),
  };
}

/** The error in the text of a body. */
export function serverErrorIn(text: string): ServerError {
  try {
    return serverError(JSON.parse(text));
  } catch {
    return serverError(text);
  }
}

/**
 * The parameter that a server refuses with HTTP 400 or 422. Servers that leave `param` out name it in their message, and
 * there is nothing else to go by.
 */
export function refusedParameter({ param, message }: ServerError, refused: ReadonlySet<Adaptable>): Adaptable | null {
  const open = ADAPTABLE.filter((parameter) => !refused.has(parameter));
  return (
    open.find((parameter) => parameter === param) ??
    open.find((parameter) => param === null && message.includes(parameter)) ??
    null
  );
}

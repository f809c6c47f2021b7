import type { IncomingHttpHeaders } from 'node:http';
import type { AppError } from '../../protocol/errors.ts';
import { notFound, rateLimited, redirected, refusedKey, requestRefused, serverFailed } from './openai-errors.ts';
import { serverErrorIn } from './openai-request.ts';
import { askedWait, isTransient } from './openai-retry.ts';

/** An answer that is not a success, and whether asking again may help. */
export interface Failure {
  error: AppError;
  again: boolean;
  /** The wait that the server asks for in milliseconds. */
  askedMs: number | null;
}

/** What an HTTP status other than 2xx means. @param now milliseconds since 1970 */
export function failureOf(
  server: { root: string; model: string; hasKey: boolean },
  answer: { status: number; headers: IncomingHttpHeaders; body: string },
  now: number,
): Failure {
  const { root, model, hasKey } = server;
  const { status, headers, body } = answer;
  const { message, code } = serverErrorIn(body);
  const askedMs = askedWait(headers, now);
  const final = (error: AppError): Failure => ({ error, again: false, askedMs: null });
  if (status >= 300 && status < 400) return final(redirected(root, headers.location ?? 'another address'));
  if (status === 401 || status === 403) return final(refusedKey(root, status, hasKey, message));
  if (status === 404) return final(notFound(root, model, message));
  // An account without money stays so.
  if (status === 429)
    return { error: rateLimited(root, askedMs, message), again: code !== 'insufficient_quota', askedMs };
  const error = status >= 500 ? serverFailed(root, status, message) : requestRefused(root, status, message);
  return { error, again: isTransient(status), askedMs };
}

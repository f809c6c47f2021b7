/** How often and how long a server is asked again. */
export interface RetryPolicy {
  /** Requests in all. */
  attempts: number;
  /** Wait before the second request in milliseconds; it doubles each time. */
  baseMs: number;
  maxMs: number;
  /** A server that wants to be left alone for longer than this is not asked again. */
  maxAskedMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { attempts: 4, baseMs: 500, maxMs: 8_000, maxAskedMs: 30_000 };

/** Statuses after which the same request may succeed. */
const TRANSIENT = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);

export function isTransient(status: number): boolean {
  return TRANSIENT.has(status);
}

/** Reasons of the system after which the same request may succeed. */
const TRANSIENT_REASONS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
]);

export function isTransientReason(reason: unknown): boolean {
  return typeof reason === 'string' && TRANSIENT_REASONS.has(reason);
}

/**
 * The wait that a server asks for in milliseconds: `retry-after-ms`, or `Retry-After` as seconds or as an HTTP date
 * (RFC 9110, 10.2.3); null where it asks for none.
 *
 * @param now milliseconds since 1970
 */
export function askedWait(headers: Record<string, string | string[] | undefined>, now: number): number | null {
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const asked = headers['retry-after'];
  if (typeof asked !== 'string' || asked.trim() === '') return null;
  const seconds = Number(asked);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(asked);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/**
 * The wait before the next request: what the server asks for, else exponential back-off with jitter over its upper half.
 *
 * @param attempt requests so far, from 1
 * @param random in [0, 1)
 */
export function backOff(policy: RetryPolicy, attempt: number, asked: number | null, random: number): number {
  if (asked !== null) return asked;
  const full = Math.min(policy.maxMs, policy.baseMs * 2 ** (attempt - 1));
  return Math.round(full * (0.5 + random / 2));
}

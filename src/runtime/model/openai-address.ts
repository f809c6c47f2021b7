import { badAddress, badKey } from './openai-errors.ts';

/** A path that names a version of the interface, such as /v1, /api/v1 or /v1beta/openai. */
const VERSION = /\/v\d\w*(?:\/|$)/;

/**
 * The root of a server's interface, from the address a user gives: with or without /v1, with or without the path of the
 * chat endpoint. Name and password in the address are left out: they would show up in messages.
 *
 * @throws AppError `provider_address` where it is no http or https address
 */
export function interfaceRoot(address: string): string {
  const text = address.trim();
  if (!URL.canParse(text)) throw badAddress(text);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw badAddress(text);
  const path = url.pathname.replace(/\/+$/, '').replace(/\/(?:chat\/completions|completions|models)$/, '');
  return `${url.protocol}//${url.host}${VERSION.test(path) ? path : `${path}/v1`}`;
}

/** Takes a key out of a text, also where it stands encoded in JSON. */
export function redact(text: string, apiKey: string | null): string {
  if (apiKey === null || apiKey.trim() === '') return text;
  return text.replaceAll(apiKey, '[key]').replaceAll(encodeURIComponent(apiKey), '[key]');
}

/**
 * The key as it is sent: without white space around it. @returns null where there is none
 * @throws AppError `provider_key` where it holds what no header can carry, such as a line feed
 */
export function usableKey(apiKey: string | null): string | null {
  const key = apiKey?.trim() ?? '';
  if (!/^[\x20-\x7e]*$/.test(key)) throw badKey();
  return key === '' ? null : key;
}

/** A shorter key may be a word, such as "ollama" for a server that wants any: no secret, and a part of honest replies. */
const LEAST_SECRET = 12;

/** Takes a key out of a reply that comes in pieces, also where it is split between them. */
export class KeyFilter {
  readonly #key: string | null;
  #held = '';

  constructor(apiKey: string | null) {
    this.#key = apiKey !== null && apiKey.length >= LEAST_SECRET ? apiKey : null;
  }

  /** The next piece, less an end that may be the beginning of the key. */
  push(piece: string): string {
    const key = this.#key;
    if (key === null) return piece;
    const text = redact(this.#held + piece, key);
    let length = Math.min(key.length - 1, text.length);
    while (length > 0 && !key.startsWith(text.slice(text.length - length))) length -= 1;
    this.#held = text.slice(text.length - length);
    return text.slice(0, text.length - length);
  }

  /** What was kept back, at the end of the reply. */
  end(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}

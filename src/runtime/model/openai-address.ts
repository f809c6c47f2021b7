import { badAddress } from './openai-errors.ts';

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

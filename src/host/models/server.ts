import * as z from 'zod/mini';
import { serverListFailed } from '../errors.ts';
import { tidyAddress } from './address.ts';

const ModelList = z.object({ data: z.array(z.object({ id: z.string() })) });
const LIST_TIMEOUT_MS = 8000;
/** A server that lists more than a person can pick from is cut here. */
const MOST_MODELS = 500;

/**
 * Names of the models that an OpenAI-compatible server offers, by name.
 * @throws AppError `server_list_failed` where it does not answer or answers with something else.
 */
export async function listServerModels(address: string, key: string | null, signal: AbortSignal): Promise<string[]> {
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  try {
    const response = await fetch(`${tidyAddress(address)}/models`, {
      headers,
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIST_TIMEOUT_MS)]),
    });
    if (!response.ok) throw serverListFailed(address, `it answered ${response.status} ${response.statusText}`.trim());
    const { data } = ModelList.parse(await response.json());
    return data
      .map(({ id }) => id)
      .sort((a, b) => a.localeCompare(b))
      .slice(0, MOST_MODELS);
  } catch (error) {
    throw asListFailure(address, error);
  }
}

function asListFailure(address: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'AppError') return error;
  if (error.name === 'TimeoutError') return serverListFailed(address, `no answer within ${LIST_TIMEOUT_MS / 1000} s`);
  if (error instanceof z.core.$ZodError || error instanceof SyntaxError)
    return serverListFailed(address, 'what it answered is no list of models');
  return serverListFailed(address, reasonOf(error.cause ?? error));
}

/** What the network said, e.g. ECONNREFUSED: `fetch` hides it in the cause. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

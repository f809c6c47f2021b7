import { AppError } from '../../protocol/errors.ts';

// One function per error that a user is told about a server. None of them may be given the key.

export function badAddress(address: string): AppError {
  const shown = address.replace(/\/\/[^/@]*@/, '//');
  return new AppError(
    'provider_address',
    `"${shown}" is not the address of a server. It looks like http://localhost:8000/v1 or https://api.example.com/v1.`,
    { address: shown },
  );
}

export function badKey(): AppError {
  const message =
    'The key for the server holds a line feed or another character that no key has. Set it again, as one line of letters and digits: SQL_AGENT_API_KEY, or "SQL Agent: Choose Model…".';
  return new AppError('provider_key', message);
}

/** @param reason the code of the system, e.g. ECONNREFUSED. */
export function unreachable(root: string, reason: string): AppError {
  return new AppError(
    'provider_unreachable',
    `No server answers at ${root} (${reason}). Check that it is running and that the address is right.`,
    { root, reason },
  );
}

const WAITED_FOR = {
  connect: 'It could not be reached',
  first: 'It gave no sign of an answer',
  idle: 'It stopped in the middle of its answer',
  total: 'Its answer did not end',
} as const;
export type WaitingFor = keyof typeof WAITED_FOR;

export function timedOut(root: string, waitingFor: WaitingFor, ms: number): AppError {
  const message = `The server at ${root} took too long. ${WAITED_FOR[waitingFor]} within ${Number((ms / 1000).toFixed(1))} s. Ask again, or choose a smaller or nearer model.`;
  return new AppError('provider_timeout', message, { root, waitingFor, ms });
}

export function refusedKey(root: string, status: number, hasKey: boolean, detail: string): AppError {
  const what = hasKey ? 'refuses the key' : 'wants a key and none is set';
  const message = `The server at ${root} ${what} (HTTP ${status}${said(detail)}). Set the key in the editor by "SQL Agent: Choose Model…", on the command line by SQL_AGENT_API_KEY.`;
  return new AppError('provider_unauthorised', message, { root, status });
}

export function notFound(root: string, model: string, detail: string): AppError {
  const message = `The server at ${root} knows no model "${model}", or its interface lies elsewhere (HTTP 404${said(detail)}). Check the address and the name of the model.`;
  return new AppError('provider_not_found', message, { root, model });
}

/** @param waitMs how long the server wants to be left alone; null where it does not say. */
export function rateLimited(root: string, waitMs: number | null, detail: string): AppError {
  const when = waitMs === null ? 'later' : `in ${Math.ceil(waitMs / 1000)} s`;
  const message = `The server at ${root} takes no more requests now (HTTP 429${said(detail)}). Try again ${when}, or check the limits of your account.`;
  return new AppError('provider_rate_limited', message, { root, waitMs });
}

export function serverFailed(root: string, status: number, detail: string): AppError {
  const message = `The server at ${root} failed (HTTP ${status}${said(detail)}). Try again later; if it goes on, look at the log of the server.`;
  return new AppError('provider_server_failed', message, { root, status });
}

export function requestRefused(root: string, status: number, detail: string): AppError {
  const message = `The server at ${root} refuses the request (HTTP ${status}${said(detail)}). Check that the model answers chats and that the prompt is not too long for it.`;
  return new AppError('provider_refused', message, { root, status });
}

export function redirected(root: string, location: string): AppError {
  const message = `The server at ${root} sends requests on to ${location}. Give that address instead; the key is not sent there by itself.`;
  return new AppError('provider_redirected', message, { root, location });
}

export function webPage(root: string): AppError {
  const message = `The address ${root} answers with a web page, not with an OpenAI-compatible interface. Check the address: the interface often lies under /v1 or /api/v1.`;
  return new AppError('provider_web_page', message, { root });
}

/** @param text what came of the reply before. */
export function malformed(root: string, what: string, text: string): AppError {
  const message = `The answer of the server at ${root} cannot be read: ${what}. Check that it is OpenAI-compatible.`;
  return new AppError('provider_malformed', message, { root, what, text });
}

export function interrupted(root: string, text: string): AppError {
  const message = `The server at ${root} closed the connection in the middle of its answer. Ask again; if it goes on, look at the log of the server.`;
  return new AppError('provider_interrupted', message, { root, text });
}

export function failedMidway(root: string, detail: string, text: string): AppError {
  const message = `The server at ${root} failed while it answered${said(detail)}. Ask again; if it goes on, look at the log of the server.`;
  return new AppError('provider_server_failed', message, { root, text });
}

function said(detail: string): string {
  return detail === '' ? '' : `: "${detail}"`;
}

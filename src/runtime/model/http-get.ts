import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
const REDIRECTIONS = new Set([301, 302, 303, 307, 308]);
const MOST_REDIRECTIONS = 8;

export interface GetOptions {
  headers: Record<string, string>;
  signal: AbortSignal;
  /** HTTP_PROXY, HTTPS_PROXY and NO_PROXY, in either case, are heeded; loopback is never asked through a proxy. */
  env: NodeJS.ProcessEnv;
}

function getOnce(url: URL, { headers, signal, env }: GetOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const proxy = LOOPBACK.test(url.hostname) ? {} : { proxyEnv: env };
    const request =
      url.protocol === 'https:'
        ? requestHttps(url, { headers, signal, agent: new HttpsAgent(proxy) })
        : requestHttp(url, { headers, signal, agent: new HttpAgent(proxy) });
    request.once('error', reject);
    request.once('response', resolve);
    request.end();
  });
}

/** Redirections that lead nowhere: asking again would not help. */
export class Misdirected extends Error {}

/**
 * A GET request that follows redirections, though never from https to http. The body is not read yet.
 * @throws Error of the network, of TLS, or of `signal`; Misdirected, which says how, for redirections that lead nowhere.
 */
export async function httpGet(address: string, options: GetOptions): Promise<IncomingMessage> {
  let url = new URL(address);
  for (let count = 0; count <= MOST_REDIRECTIONS; count += 1) {
    const response = await getOnce(url, options);
    const { location } = response.headers;
    if (!REDIRECTIONS.has(response.statusCode ?? 0) || location === undefined) return response;
    response.destroy();
    if (!URL.canParse(location, url.href)) throw new Misdirected('it is redirected to what is no address');
    const next = new URL(location, url);
    if (next.protocol !== 'https:' && (url.protocol === 'https:' || next.protocol !== 'http:'))
      throw new Misdirected(`it is redirected to ${next.protocol}//`);
    url = next;
  }
  throw new Misdirected('it is redirected without end');
}

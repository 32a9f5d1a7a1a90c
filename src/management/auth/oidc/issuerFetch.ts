import type { IncomingHttpHeaders } from 'node:http';
import { isLoopbackUrl } from '../../../lib/isLoopbackUrl.ts';
import { codeOf, onceOnlyClient } from '../../../provider/client/providerClient.ts';
import type { AgentFor } from '../../../provider/outgoingProxy/outgoingProxies.ts';
import { ProxyFailure } from '../../../provider/outgoingProxy/proxyFailure.ts';

/** The OpenID provider gave no response that could be read. The message is a sentence without secrets. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

/** The part of `fetch` that oauth4webapi calls. */
export type IssuerFetch = (
  url: string,
  options: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
  },
) => Promise<Response>;

export interface IssuerFetchOptions {
  readonly agentFor: AgentFor;
  readonly timeoutMs?: number;
}

/** Larger than every document of a provider: those with hundreds of keys or groups have 100 kB. */
const MAX_BODY_BYTES = 1_048_576;
const TIMEOUT_MS = 8_000;

/**
 * Creates the function that calls the OpenID provider: through the proxy of the environment (docs/decisions/0064-outgoing-proxies.md),
 * with a timeout and a maximum size. It follows no redirect: oauth4webapi refuses the response then.
 * @returns a function that throws IssuerUnavailable without a response, and for one with a status of 500 and more
 */
export function createIssuerFetch({ agentFor, timeoutMs = TIMEOUT_MS }: IssuerFetchOptions): IssuerFetch {
  const client = onceOnlyClient({ timeout: { request: timeoutMs }, decompress: false });

  return async (url, { method, headers, body }) => {
    const destination = new URL(url);
    if (destination.protocol !== 'https:' && !isLoopbackUrl(destination)) {
      throw new IssuerUnavailable(`${destination.origin} does not use https`);
    }
    const got = await client();
    const stream = got.stream(url, {
      method: method as 'GET' | 'POST',
      headers: { ...headers, accept: 'application/json' },
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      ...agentFor(url, null),
    });
    let status = 0;
    let received: IncomingHttpHeaders = {};
    stream.on('response', (response: { statusCode: number; headers: IncomingHttpHeaders }) => {
      status = response.statusCode;
      received = response.headers;
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > MAX_BODY_BYTES)
          throw new IssuerUnavailable(`${destination.host} sent more than ${MAX_BODY_BYTES} bytes`);
        chunks.push(chunk);
      }
    } catch (error) {
      if (error instanceof IssuerUnavailable) throw error;
      throw new IssuerUnavailable(describe(destination, error));
    } finally {
      stream.destroy();
    }
    if (status >= 500) throw new IssuerUnavailable(`${destination.host} responded with status ${status}`);
    const type = received['content-type'];
    return new Response([204, 205, 304].includes(status) ? null : Buffer.concat(chunks), {
      status,
      ...(type !== undefined && { headers: { 'content-type': type } }),
    });
  };
}

function describe({ host }: URL, error: unknown): string {
  const proxyFailure = [error, (error as Error).cause].find((each) => each instanceof ProxyFailure);
  if (proxyFailure) return `${host} could not be called: ${proxyFailure.message}`;
  const code = codeOf(error);
  return code === 'etimedout' ? `${host} did not respond in time` : `${host} could not be reached (${code})`;
}

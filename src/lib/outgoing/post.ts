import { type ClientRequest, type Agent as HttpAgent, request as requestHttp } from 'node:http';
import { type Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { checkedLookup, requireAllowedHost, requireAllowedName } from './forbiddenAddresses.ts';

/** Agents of the outgoing proxy for a URL; none for a direct call. */
export type AgentsFor = (url: string) => { readonly agent?: { readonly http: HttpAgent; readonly https: HttpsAgent } };

export interface PostOptions {
  readonly agentsFor: AgentsFor;
  /** Whether link-local and metadata addresses may be called. */
  readonly allowsLinkLocal: boolean;
  /** Resolves names and fails for forbidden addresses. */
  readonly lookup?: LookupFunction;
}

export interface PostedRequest {
  readonly url: URL;
  readonly body: string | Uint8Array;
  /** With `content-type`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface PostResponse {
  readonly status: number;
  readonly contentType: string;
  /** As far as it is read. Never to be shown: it is what a stranger's server says. */
  readonly body: string;
}

/** There was no response; the message says why without naming secrets of the URL. */
export class PostFailed extends Error {
  override readonly name = 'PostFailed';
}

/**
 * Posts to a URL that an operator has named. Follows no redirect, so that nothing goes elsewhere.
 * @throws PostFailed when there is no response in time, one that is too long, or an address that svc does not send to
 */
export type Post = (request: PostedRequest) => Promise<PostResponse>;

const TIMEOUT_MS = 10_000;
const MAX_BODY_BYTES = 65_536;

/** Posts through the outgoing proxies, and not to the network's own addresses unless they are allowed. */
export const createPost =
  ({ agentsFor, allowsLinkLocal, lookup = checkedLookup }: PostOptions): Post =>
  async ({ url, body, headers, signal }) => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      if (!allowsLinkLocal) requireAllowedHost(url);
      const { agent } = agentsFor(url.href);
      if (agent && !allowsLinkLocal) await requireAllowedName(url, lookup);
      const isSecure = url.protocol === 'https:';
      const bytes = typeof body === 'string' ? Buffer.from(body) : body;
      const sending = (isSecure ? requestHttps : requestHttp)(url, {
        method: 'POST',
        headers: { ...headers, 'content-length': bytes.byteLength, 'user-agent': 'svc' },
        signal: AbortSignal.any([signal, timeout]),
        ...(!allowsLinkLocal && { lookup }),
        ...(agent && { agent: isSecure ? agent.https : agent.http }),
      });
      sending.end(bytes);
      return await responseTo(sending);
    } catch (error) {
      const reason = timeout.aborted ? `no response within ${TIMEOUT_MS / 1_000} s` : (error as Error).message;
      throw new PostFailed(`${shownUrl(url)} cannot be reached: ${reason}.`, { cause: error });
    }
  };

function responseTo(sending: ClientRequest): Promise<PostResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<PostResponse>();
  sending.on('error', reject);
  sending.on('response', (response) => {
    const chunks: Buffer[] = [];
    let length = 0;
    response.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MAX_BODY_BYTES) chunks.push(chunk);
      else sending.destroy(new Error(`it responded with more than ${MAX_BODY_BYTES} bytes`));
    });
    response.on('error', reject);
    response.on('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        contentType: response.headers['content-type'] ?? '',
        body: Buffer.concat(chunks).toString('utf8'),
      }),
    );
    response.on('close', () => reject(new Error('it closed the connection before its response was complete')));
  });
  return promise;
}

/** The URL without user name, password and query, which may be secrets. */
export const shownUrl = (url: URL): string => `${url.protocol}//${url.host}${url.pathname === '/' ? '' : url.pathname}`;

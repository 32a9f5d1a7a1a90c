import { type Agent as HttpAgent, request as requestHttp } from 'node:http';
import { type Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { PublishFailed } from './target.ts';

/** Agents of the outgoing proxy for a URL; none for a direct call. */
export type AgentsFor = (url: string) => { readonly agent?: { readonly http: HttpAgent; readonly https: HttpsAgent } };

export interface PostOptions {
  readonly url: URL;
  readonly body: string;
  readonly agentsFor: AgentsFor;
  readonly signal: AbortSignal;
}

export interface PostResponse {
  readonly status: number;
  readonly contentType: string;
  /** As far as it is read. */
  readonly body: string;
}

const TIMEOUT_MS = 10_000;
const MAX_BODY_BYTES = 65_536;

/**
 * Posts text. Follows no redirect, since notes go only where an operator has named.
 * @throws PublishFailed when there is no response in time, or one that is too long
 */
export async function postNote({ url, body, agentsFor, signal }: PostOptions): Promise<PostResponse> {
  const isSecure = url.protocol === 'https:';
  const { agent } = agentsFor(url.href);
  const { promise, resolve, reject } = Promise.withResolvers<PostResponse>();
  const bytes = Buffer.from(body);
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const sending = (isSecure ? requestHttps : requestHttp)(
    url,
    {
      method: 'POST',
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'content-length': bytes.length,
        'user-agent': 'svc',
      },
      signal: AbortSignal.any([signal, timeout]),
      ...(agent && { agent: isSecure ? agent.https : agent.http }),
    },
    (response) => {
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
    },
  );
  sending.on('error', reject);
  sending.end(bytes);
  try {
    return await promise;
  } catch (error) {
    const reason = timeout.aborted ? `no response within ${TIMEOUT_MS / 1_000} s` : (error as Error).message;
    throw new PublishFailed(
      `${shownUrl(url)} cannot be reached: ${reason}.`,
      'svc tries again by itself and sends what was missed. Check the URL and the network.',
    );
  }
}

/** The URL without user name, password and query, which may be secrets. */
export const shownUrl = (url: URL): string => `${url.protocol}//${url.host}${url.pathname === '/' ? '' : url.pathname}`;

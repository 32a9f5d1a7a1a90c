import { connect } from 'node:net';
import type { SimulatedAccount } from './account.ts';
import type { Provider } from './provider.ts';

export interface RequestOptions {
  path?: string;
  method?: string;
  /** An object is sent as JSON. Default: the smallest body that the provider accepts. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export const acceptableBody = {
  model: 'gpt-5.5',
  stream: true,
  store: false,
  input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Say hi' }] }],
};

export const credentials = (account: SimulatedAccount): Record<string, string> => ({
  authorization: `Bearer ${account.tokens.current().accessToken}`,
  'chatgpt-account-id': account.id,
});

/** Sends a request to the provider like the gateway, with the account's current access token. */
export function sendRequest(
  provider: Provider,
  account: SimulatedAccount,
  options: RequestOptions = {},
): Promise<Response> {
  const { path = '/codex/responses', method = 'POST', body = acceptableBody, headers, signal } = options;
  const raw = typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData;
  return fetch(provider.baseUrl + path, {
    method,
    headers: { ...credentials(account), ...(raw ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(method === 'GET' ? {} : { body: raw ? (body as RequestInit['body'] & {}) : JSON.stringify(body) }),
    ...(signal && { signal }),
  });
}

/**
 * Follows a sign-in link like a browser, and signs in to the account or denies access.
 * @returns the URL that the provider redirects to
 */
export async function signInAt(authorizationUrl: string, account: SimulatedAccount | 'deny'): Promise<string> {
  const url = new URL(authorizationUrl);
  if (account === 'deny') url.searchParams.set('deny', '1');
  else url.searchParams.set('login', account.email);
  const response = await fetch(url, { redirect: 'manual' });
  const location = response.headers.get('location');
  if (location === null) throw new Error(`the provider responded ${response.status}: ${await response.text()}`);
  return location;
}

export interface ServerSentEvent {
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary fields
  data: any;
}

export const eventsIn = (text: string): ServerSentEvent[] =>
  text
    .split(/\r?\n\r?\n/)
    .filter((block) => block !== '' && !block.startsWith(':'))
    .map((block) => ({
      event: /^event: (.*?)\r?$/m.exec(block)?.[1] ?? '',
      data: JSON.parse(/^data: (.*?)\r?$/m.exec(block)?.[1] ?? 'null'),
    }));

/** A response as read from the socket, without an HTTP client. */
export interface RawResponse {
  head: string;
  /** The chunks of the chunked encoding: the provider's writes. */
  chunks: Buffer[];
  /** The reads of the socket. */
  reads: Buffer[];
  /** The error code if the connection did not end cleanly. */
  error: string | undefined;
}

export function sendOnSocket(
  { url }: Provider,
  account: SimulatedAccount,
  body: unknown = acceptableBody,
): Promise<RawResponse> {
  const text = JSON.stringify(body);
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
  const headers = {
    host: 'provider',
    connection: 'close',
    'content-length': Buffer.byteLength(text),
    ...credentials(account),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /backend-api/codex/responses HTTP/1.1\r\n${lines.join('')}\r\n${text}`);
  return new Promise((resolve) => {
    const reads: Buffer[] = [];
    let error: string | undefined;
    socket.on('data', (read) => reads.push(read));
    socket.on('error', (cause: NodeJS.ErrnoException) => (error = cause.code));
    socket.on('close', () => {
      const all = Buffer.concat(reads);
      const endOfHead = all.indexOf('\r\n\r\n');
      resolve({
        head: all.toString('latin1', 0, Math.max(0, endOfHead)),
        chunks: chunksIn(all.subarray(endOfHead + 4)),
        reads,
        error,
      });
    });
  });
}

function chunksIn(body: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const endOfSize = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, endOfSize), 16);
    if (!(size > 0)) break;
    chunks.push(body.subarray(endOfSize + 2, endOfSize + 2 + size));
    at = endOfSize + 2 + size + 2;
  }
  return chunks;
}

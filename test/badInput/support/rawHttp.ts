import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Bytes, a pause, or a way to disconnect: `end` half-closes, `destroy` and `reset` drop the connection. */
export type Step = string | Uint8Array | { readonly waitMs: number } | 'end' | 'destroy' | 'reset';

export interface RawExchange {
  readonly responses: readonly RawResponse[];
  /** The bytes after the last complete response. */
  readonly rest: Buffer;
  /** Whether the service closed the connection. */
  readonly wasClosed: boolean;
}

const TIMEOUT_MS = 5_000;

/**
 * Sends exactly these bytes to the service, valid HTTP or not, and reads the responses.
 * @param expectedResponses resolves after this many; earlier when the connection is closed, or after 5 s
 */
export function exchangeBytes(url: string, steps: readonly Step[], expectedResponses = 1): Promise<RawExchange> {
  const { hostname, port } = new URL(url);
  const isHead = String(steps[0]).startsWith('HEAD ');
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true });
  let received = Buffer.alloc(0);
  let wasClosed = false;
  let hasDisconnected = false;

  const sent = (async () => {
    for (const step of steps) {
      if (socket.destroyed) return;
      if (typeof step === 'object' && 'waitMs' in step) await pause(step.waitMs);
      else if (step === 'end') socket.end();
      else if (step === 'destroy' || step === 'reset') {
        hasDisconnected = true;
        if (step === 'destroy') socket.destroy();
        else socket.resetAndDestroy();
      } else await new Promise<void>((resolve) => socket.write(step, () => resolve()));
    }
  })();

  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      const { responses, rest } = parseResponses(received, wasClosed, isHead);
      void sent.then(() => {
        socket.destroy();
        resolve({ responses, rest, wasClosed });
      });
    };
    const timer = setTimeout(finish, TIMEOUT_MS);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (parseResponses(received, false, isHead).responses.length >= expectedResponses) finish();
    });
    socket.on('error', () => undefined);
    socket.on('end', () => {
      wasClosed = true;
      finish();
    });
    socket.on('close', () => {
      wasClosed ||= !hasDisconnected;
      finish();
    });
  });
}

function parseResponses(
  bytes: Buffer,
  isComplete: boolean,
  isHead: boolean,
): { responses: RawResponse[]; rest: Buffer } {
  const responses: RawResponse[] = [];
  let rest = bytes;
  for (;;) {
    const parsed = parseResponse(rest, isComplete, isHead);
    if (!parsed) return { responses, rest };
    if (parsed.response.status >= 200) responses.push(parsed.response);
    rest = rest.subarray(parsed.length);
  }
}

function parseResponse(
  bytes: Buffer,
  isComplete: boolean,
  isHead: boolean,
): { response: RawResponse; length: number } | undefined {
  const endOfHead = bytes.indexOf('\r\n\r\n');
  if (endOfHead < 0 || !bytes.subarray(0, 5).equals(Buffer.from('HTTP/'))) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, endOfHead).split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const start = endOfHead + 4;
  const body = bytes.subarray(start);
  if (isHead || status < 200 || status === 204) return { response: { status, headers, text: '' }, length: start };
  if (headers['transfer-encoding'] === 'chunked') {
    const end = body.indexOf('0\r\n\r\n');
    return end < 0 ? undefined : { response: { status, headers, text: decodeChunks(body) }, length: start + end + 5 };
  }
  const contentLength = headers['content-length'];
  if (contentLength === undefined && !isComplete) return undefined;
  const length = Number(contentLength ?? body.length);
  if (body.length < length) return undefined;
  return { response: { status, headers, text: body.toString('utf8', 0, length) }, length: start + length };
}

function decodeChunks(body: Buffer): string {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const endOfSize = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, endOfSize), 16);
    if (!(size > 0)) break;
    chunks.push(body.subarray(endOfSize + 2, endOfSize + 2 + size));
    at = endOfSize + 2 + size + 2;
  }
  return Buffer.concat(chunks).toString();
}

export interface HeadOptions {
  method?: string;
  path?: string;
  version?: string;
  /** Omitted when null. */
  host?: string | null;
  headers?: readonly (readonly [string, string | number])[];
}

/** The head of a request, unvalidated. */
export function head({
  method = 'POST',
  path = '/v1/responses',
  version = 'HTTP/1.1',
  host = 'localhost',
  headers = [],
}: HeadOptions = {}): string {
  const all = [...(host === null ? [] : [['host', host] as const]), ...headers];
  return `${method} ${path} ${version}\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** A request with a correct Content-Length. */
export const message = (body: string | Uint8Array, { headers = [], ...options }: HeadOptions = {}): Buffer =>
  Buffer.concat([
    Buffer.from(head({ ...options, headers: [...headers, ['content-length', Buffer.byteLength(body)]] }), 'latin1'),
    Buffer.from(body as string),
  ]);

/** Reads nothing before everything is sent, like simple clients. @returns whether all was sent, and the status */
export async function sendAllBeforeReading(url: string, parts: readonly (string | Uint8Array)[]) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) }).pause();
  let isSent = true;
  socket.on('error', () => {
    isSent = false;
  });
  for (const part of parts) await new Promise<void>((resolve) => socket.write(part, () => resolve()));
  let received = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: true })) {
    received = Buffer.concat([received, chunk]);
    const { responses } = parseResponses(received, false, false);
    if (responses[0]) return { sent: isSent, status: responses[0].status };
  }
  return { sent: isSent, status: 0 };
}

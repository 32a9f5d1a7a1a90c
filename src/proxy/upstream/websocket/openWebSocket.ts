import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { HeaderLookup } from '../../../http/wire/headers.ts';
import { DEFLATE } from './deflate.ts';

/** The provider answered an upgrade over HTTP. */
export class UpgradeRefused extends Error {
  override readonly name = 'UpgradeRefused';
  readonly status: number;
  readonly headers: HeaderLookup;
  /** As far as it has arrived. */
  readonly body: string;

  constructor(status: number, headers: HeaderLookup, body: string) {
    super(`the provider answered the upgrade with ${status}`);
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

export interface OpenedWebSocket {
  readonly socket: WebSocket;
  /** Below `socket`: its buffer tells whether the provider reads. */
  readonly connection: Socket;
  /** Of the response to the upgrade. */
  readonly headers: HeaderLookup;
}

export interface OpenWebSocketOptions {
  /** Opens the connection, through a proxy if the account has one. */
  readonly openConnection: (signal: AbortSignal) => Promise<Socket>;
  /** `http:` or `https:`, with the path. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Offers permessage-deflate. */
  readonly deflate: boolean;
  /** For the connection and the upgrade together. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The provider sends events of at most this size over HTTP, too (`SseScanner`). */
const MAX_MESSAGE_BYTES = 16 * 1_048_576;
const MAX_ERROR_BYTES = 65_536;
/** `closeTimeout`: for the provider to answer a close frame; the types of `ws` do not have it. */
const LIMITS = { maxPayload: MAX_MESSAGE_BYTES, closeTimeout: 5_000 };

/**
 * Opens a websocket to the provider.
 * @throws UpgradeRefused, ProxyFailure, an error of the system, or the reason of `signal`
 */
export async function openWebSocket({
  openConnection,
  url,
  headers,
  deflate,
  timeoutMs,
  signal,
}: OpenWebSocketOptions): Promise<OpenedWebSocket> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(timedOut(url, timeoutMs)), timeoutMs);
  const ended = AbortSignal.any([signal, timeout.signal]);
  try {
    ended.throwIfAborted();
    const connection = await openConnection(ended);
    // An error of the connection ends the websocket, which reports it.
    connection.on('error', () => undefined);
    if (ended.aborted) connection.destroy();
    ended.throwIfAborted();
    return await upgrade(connection, { url, headers, deflate, ended });
  } finally {
    clearTimeout(timer);
  }
}

interface UpgradeOptions extends Pick<OpenWebSocketOptions, 'url' | 'headers' | 'deflate'> {
  readonly ended: AbortSignal;
}

function upgrade(connection: Socket, { url, headers, deflate, ended }: UpgradeOptions): Promise<OpenedWebSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<OpenedWebSocket>();
  const socket = new WebSocket(url, {
    createConnection: () => connection,
    headers: headers as Record<string, string>,
    perMessageDeflate: deflate && DEFLATE,
    ...LIMITS,
  });
  let answer: HeaderLookup = new Map();
  const onAbort = () => {
    socket.terminate();
    connection.destroy();
    reject(ended.reason);
  };
  ended.addEventListener('abort', onAbort, { once: true });
  socket.on('upgrade', (response) => {
    answer = lookupOf(response);
  });
  socket.on('unexpected-response', (_request, response) => {
    void readRefusal(response).then(reject);
  });
  socket.on('error', reject);
  socket.once('open', () => {
    // The caller listens from here on; an error is always followed by `close`.
    socket.off('error', reject).on('error', () => undefined);
    resolve({ socket, connection, headers: answer });
  });
  return promise.finally(() => ended.removeEventListener('abort', onAbort));
}

async function readRefusal(response: IncomingMessage): Promise<UpgradeRefused> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes >= MAX_ERROR_BYTES) break;
    }
  } catch {
    // The status still makes an error.
  }
  response.socket.destroy();
  const body = Buffer.concat(pieces).toString('utf8', 0, MAX_ERROR_BYTES);
  return new UpgradeRefused(response.statusCode ?? 0, lookupOf(response), body);
}

function lookupOf({ headers }: IncomingMessage): HeaderLookup {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) if (typeof value === 'string') found.set(name, value);
  return found;
}

const timedOut = (url: URL, timeoutMs: number): Error =>
  Object.assign(new Error(`no websocket to ${url.host} within ${timeoutMs} ms`), { code: 'ETIMEDOUT' });

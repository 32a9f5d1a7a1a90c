import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '../../domain/core/errorCodes.ts';
import { type ErrorDetails, errors, messageOf } from '../errors/errors.ts';

/** Why something is not HTTP that a surface could answer. */
export interface NotHttp {
  readonly status: number;
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
}

const notHttp = (status: number, problem: string): NotHttp => ({
  status,
  code: 'invalid_request_error',
  details: { problem },
});

export const EXPECTATION: NotHttp = notHttp(417, 'only "expect: 100-continue" can be met');
export const NO_TUNNEL: NotHttp = {
  status: errors.method_not_allowed.status,
  code: 'method_not_allowed',
  details: { method: 'CONNECT', allowed: 'GET or POST' },
};

/** What the parser of HTTP stumbled over. */
export function parserErrorResponse({ code }: NodeJS.ErrnoException): NotHttp {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return notHttp(408, 'the request did not arrive in time');
  if (code === 'HPE_HEADER_OVERFLOW') return notHttp(431, 'the headers are too large');
  return notHttp(400, 'this is not valid HTTP');
}

/**
 * Looks at what the parser of HTTP lets pass. A target in absolute form, as proxies get it, becomes a path and a host
 * (RFC 9112 section 3.2.2); Koa would throw at some of them.
 * @returns undefined when a surface can take the request
 */
export function headErrorResponse(request: IncomingMessage): NotHttp | undefined {
  const { url = '', headers, httpVersion } = request;
  if (headers.host === undefined && httpVersion === '1.1') return notHttp(400, 'the request has no Host header');
  // A target has no fragment, and what parses one may throw.
  const isSane = !url.includes('#');
  if (isSane && (url.startsWith('/') || url === '*')) return undefined;
  if (!isSane || !/^https?:\/\//i.test(url) || !URL.canParse(url))
    return notHttp(400, 'the target of the request is not valid');
  headers.host = new URL(url).host;
  request.url = url.replace(/^\w+:\/\/[^/?#]*\/?/, '/');
  return undefined;
}

/** Answers a request that no surface can take, and ends its connection: nobody knows what follows on it. */
export function respondNotHttp(response: ServerResponse, problem: NotHttp): void {
  const body = envelopeOf(problem);
  response.writeHead(problem.status, { ...headersOf(body), connection: 'close' }).end(body);
}

/** How long a client that is still talking may take to notice that it has been answered. */
export const LINGER_MS = 1_000;

/** Answers on a connection that has no request, and ends it; a reset at once could swallow the answer. */
export function respondAndClose(socket: Socket, problem: NotHttp): void {
  const body = envelopeOf(problem);
  const head = Object.entries({ ...headersOf(body), connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${head.join('')}\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

const envelopeOf = ({ code, details }: NotHttp) =>
  JSON.stringify({ error: { message: messageOf(code, details), type: errors[code].type, code } });

const headersOf = (body: string) => ({
  'content-type': 'application/json; charset=utf-8',
  'content-length': Buffer.byteLength(body),
});

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '../../domain/core/errorCodes.ts';
import { type ErrorDetails, errors, messageOf } from '../errors/errors.ts';

/** The response to input that is no valid request, so that neither the proxy nor management gets it. */
export interface ProtocolError {
  readonly status: number;
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  readonly headers?: Readonly<Record<string, string>>;
}

const invalid = (status: number, problem: string): ProtocolError => ({
  status,
  code: 'invalid_request_error',
  details: { problem },
});

/** For an `Expect` header other than `100-continue`. */
export const UNSUPPORTED_EXPECTATION = invalid(417, 'the only supported Expect header is "100-continue"');
/** For the method CONNECT. */
export const CONNECT_NOT_ALLOWED: ProtocolError = {
  status: errors.method_not_allowed.status,
  code: 'method_not_allowed',
  details: { method: 'CONNECT', allowed: 'GET or POST' },
};

/** For a new connection when no file descriptor is left for it. */
export const OUT_OF_DESCRIPTORS: ProtocolError = {
  status: errors.out_of_file_descriptors.status,
  code: 'out_of_file_descriptors',
  details: {},
  headers: { 'retry-after': '2' },
};

/** @returns the response to an error of Node's HTTP parser */
export function parserErrorResponse({ code }: NodeJS.ErrnoException): ProtocolError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return invalid(408, 'the request did not arrive in time');
  if (code === 'HPE_HEADER_OVERFLOW') return invalid(431, 'the headers are too large');
  return invalid(400, 'the request is not valid HTTP');
}

/**
 * Rejects invalid heads that Node's parser accepts; Koa would throw for some. Rewrites a target in absolute form, as clients
 * send it to proxies, to a path and a `Host` (RFC 9112 section 3.2.2).
 * @returns undefined if the request can be served
 */
export function headErrorResponse(request: IncomingMessage): ProtocolError | undefined {
  const { url = '', headers, httpVersion } = request;
  if (headers.host === undefined && httpVersion === '1.1') return invalid(400, 'the request has no Host header');
  // A fragment is not allowed in a target, and the URL parsers of the routers may throw.
  const hasFragment = url.includes('#');
  if (!hasFragment && (url.startsWith('/') || url === '*')) return undefined;
  if (hasFragment || !/^https?:\/\//i.test(url) || !URL.canParse(url))
    return invalid(400, 'the target of the request is not valid');
  headers.host = new URL(url).host;
  request.url = url.replace(/^\w+:\/\/[^/?#]*\/?/, '/');
  return undefined;
}

/** Responds and closes the connection, because it is unknown where the next request begins. */
export function respondWithError(response: ServerResponse, error: ProtocolError): void {
  const body = envelopeOf(error);
  response.writeHead(error.status, { ...headersOf(body), connection: 'close' }).end(body);
}

/** How long a client that is still sending gets to read its response before the connection is reset. */
export const LINGER_MS = 1_000;

/** Responds on a connection that has no parsed request and closes it; an immediate reset could discard the response. */
export function respondAndClose(socket: Socket, error: ProtocolError): void {
  socket.end(responseOf(error));
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Responds and frees the file descriptor of the connection at once. A client on Linux reads the response nevertheless. */
export function respondAndReset(socket: Socket, error: ProtocolError): void {
  // The system takes so few bytes at once.
  socket.write(responseOf(error));
  socket.destroy();
}

function responseOf(error: ProtocolError): string {
  const body = envelopeOf(error);
  const head = Object.entries({ ...headersOf(body), ...error.headers, connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${head.join('')}\r\n${body}`;
}

const envelopeOf = ({ code, details }: ProtocolError) =>
  JSON.stringify({ error: { message: messageOf(code, details), type: errors[code].type, code } });

const headersOf = (body: string) => ({
  'content-type': 'application/json; charset=utf-8',
  'content-length': Buffer.byteLength(body),
});

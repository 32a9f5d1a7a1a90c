import type { HeaderLookup } from '../../../http/wire/headers.ts';
import { trimBlanks } from '../../../http/wire/trimBlanks.ts';
import { MalformedResponse, notHttp } from './malformedResponse.ts';
import { ResponseHeaders } from './responseHeaders.ts';

/** How the end of a body is recognised (RFC 9112 section 6.3). */
export type Framing = { readonly kind: 'length'; readonly bytes: number } | { readonly kind: 'chunked' | 'untilClose' };

/** The status line and the headers of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: HeaderLookup;
  readonly framing: Framing;
  /** Whether the connection may be reused after this response. */
  readonly keepsAlive: boolean;
}

/**
 * The status line and all header lines in one pass. Rejects folded lines, and control characters, which could break out of
 * the headers that are relayed.
 */
const HEAD =
  /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?(?:\r\n[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*)*$/;
const STATUS_LINE = /^HTTP\/1\.[01] [1-9]\d\d(?: [\t\x20-\x7e\x80-\xff]*)?(?:\r\n|$)/;
const LENGTH = /^\d{1,15}$/;

/**
 * Reads the head of a response.
 * @param text in Latin-1, without the empty line at its end
 * @throws MalformedResponse
 */
export function readResponseHead(text: string): ResponseHead {
  const [, minor, digits] = HEAD.exec(text) ?? [];
  if (digits === undefined) {
    const isHttp = STATUS_LINE.test(text);
    throw isHttp ? new MalformedResponse('the provider sent an invalid header') : notHttp();
  }
  const status = Number(digits);
  const headers = new ResponseHeaders(text);
  const framing = framingOf(status, headers);
  return { status, headers, framing, keepsAlive: minor === '1' && keepsAlive(headers, framing) };
}

function framingOf(status: number, headers: HeaderLookup): Framing {
  if (status < 200 || status === 204 || status === 304) return { kind: 'length', bytes: 0 };
  const coding = headers.get('transfer-encoding');
  if (coding !== undefined) {
    if (coding.toLowerCase() !== 'chunked')
      throw new MalformedResponse('the response has a transfer coding that was not requested');
    return { kind: 'chunked' };
  }
  const lengths = headers
    .get('content-length')
    ?.split(',')
    .map((length) => trimBlanks(length));
  if (lengths === undefined) return { kind: 'untilClose' };
  const [length = ''] = lengths;
  if (!LENGTH.test(length) || lengths.some((other) => other !== length)) {
    throw new MalformedResponse('the Content-Length of the response is invalid or ambiguous');
  }
  return { kind: 'length', bytes: Number(length) };
}

function keepsAlive(headers: HeaderLookup, framing: Framing): boolean {
  if (framing.kind === 'untilClose') return false;
  const length = headers.get('content-length');
  // Two framings for one body: the sender is broken or hostile, so the bytes after it cannot be trusted.
  if (framing.kind === 'chunked' && length !== undefined) return false;
  // The response has no body by its status, but the sender announces one, which may follow.
  if (framing.kind === 'length' && framing.bytes === 0) {
    if (headers.get('transfer-encoding') !== undefined || /[1-9]/.test(length ?? '')) return false;
  }
  const connection = headers.get('connection');
  if (connection === undefined || connection === 'keep-alive') return true;
  return !/(?:^|,)[\t ]*close[\t ]*(?:,|$)/i.test(connection);
}

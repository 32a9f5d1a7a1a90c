import { trimBlanks } from '../wire/trimBlanks.ts';
import { HeaderNames } from './headerNames.ts';

/** The head of a plain request. */
export interface PlainHead {
  /** Path and query. */
  readonly url: string;
  /** Alternating names and values as sent. */
  readonly rawHeaders: readonly string[];
  /** By lower-case name; no name repeats. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of the body, at least 1. */
  readonly contentLength: number;
  /** Offset of the body. */
  readonly end: number;
}

const POST = Buffer.from('POST /');
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const MAX_BYTES = 8_192;
/** Node's parser refuses heads with more headers. */
const MAX_HEADERS = 1_000;

/** Strict where RFC 9112 allows recipients to be lenient. Excludes fragments, which targets must not have. */
const HEAD = /^POST (\/[!-"$-~]*) HTTP\/1\.1\r\n(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n)+$/;
const LENGTH = /^[1-9]\d{0,14}$/;
const names = new HeaderNames();

/**
 * Reads the head of a plain request: a POST with one `Host` and one `Content-Length`, complete in the first bytes, with valid
 * lines and no repeated name.
 * @returns undefined for any other request, so that nothing is parsed differently from Node's parser
 */
export function readPlainHead(bytes: Buffer): PlainHead | undefined {
  if (bytes.length < POST.length || bytes.compare(POST, 0, POST.length, 0, POST.length) !== 0) return undefined;
  const emptyLine = bytes.indexOf(END_OF_HEAD);
  if (emptyLine < 0 || emptyLine > MAX_BYTES) return undefined;
  const text = bytes.toString('latin1', 0, emptyLine + 2);
  const url = HEAD.exec(text)?.[1];
  if (url === undefined) return undefined;
  const rawHeaders: string[] = [];
  const headers: Record<string, string> = {};
  names.beginHead();
  for (let start = text.indexOf('\n') + 1; start < text.length; ) {
    const colon = text.indexOf(':', start);
    const end = text.indexOf('\r', colon);
    const name = names.read(text.slice(start, colon));
    if (!name) return undefined;
    const key = name.key.inLowerCase;
    const value = trimBlanks(text, colon + 1, end);
    if (!isPlain(key, value)) return undefined;
    headers[key] = value;
    rawHeaders.push(name.text, value);
    start = end + 2;
  }
  const { host, 'content-length': length } = headers;
  if (host === undefined || length === undefined || rawHeaders.length > MAX_HEADERS * 2) return undefined;
  return { url, rawHeaders, headers, contentLength: Number(length), end: emptyLine + END_OF_HEAD.length };
}

/** Excludes other framings and protocols, an expected interim response, and headers that Node parses to a list. */
function isPlain(name: string, value: string): boolean {
  switch (name) {
    case 'transfer-encoding':
    case 'expect':
    case 'upgrade':
    case 'set-cookie':
      return false;
    case 'connection':
    // Node's parser reads it as `Connection`: "close" closes.
    case 'proxy-connection':
      return value.toLowerCase() === 'keep-alive';
    case 'content-length':
      return LENGTH.test(value);
    default:
      return true;
  }
}

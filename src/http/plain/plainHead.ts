import { HeaderNames } from './headerNames.ts';

/** The head of a request that needs no more than what stands in it to be understood. */
export interface PlainHead {
  /** Path and query. */
  readonly url: string;
  /** As sent, names and values in turn. */
  readonly rawHeaders: readonly string[];
  /** By their names in lower case; none comes twice. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the body, at least 1. */
  readonly contentLength: number;
  /** Where the body begins. */
  readonly end: number;
}

const POST = Buffer.from('POST /');
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const MAX_BYTES = 8_192;

/** Strict where RFC 9112 lets recipients be lenient; a fragment has no place in a target. */
const HEAD = /^POST (\/[!-"$-~]*) HTTP\/1\.1\r\n(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n)+$/;
const LENGTH = /^[1-9]\d{0,14}$/;
const names = new HeaderNames();

/**
 * Reads a head in the plainest form: a POST with one `Host` and one `Content-Length`, complete in the first bytes, every
 * line by the book and no name twice.
 * @returns undefined for any other, so that nothing is understood here in another way than Node's parser would
 */
export function readPlainHead(bytes: Buffer): PlainHead | undefined {
  if (bytes.length < POST.length || bytes.compare(POST, 0, POST.length, 0, POST.length) !== 0) return undefined;
  const blank = bytes.indexOf(END_OF_HEAD);
  if (blank < 0 || blank > MAX_BYTES) return undefined;
  const text = bytes.toString('latin1', 0, blank + 2);
  const url = HEAD.exec(text)?.[1];
  if (url === undefined) return undefined;
  const rawHeaders: string[] = [];
  const headers: Record<string, string> = {};
  names.begin();
  for (let at = text.indexOf('\n') + 1; at < text.length; ) {
    const colon = text.indexOf(':', at);
    const end = text.indexOf('\r', colon);
    const name = names.read(text.slice(at, colon));
    if (!name) return undefined;
    const key = name.key.inLowerCase;
    const value = withoutBlanks(text, colon + 1, end);
    if (!isPlain(key, value)) return undefined;
    headers[key] = value;
    rawHeaders.push(name.text, value);
    at = end + 2;
  }
  const { host, 'content-length': length } = headers;
  if (host === undefined || length === undefined) return undefined;
  return { url, rawHeaders, headers, contentLength: Number(length), end: blank + END_OF_HEAD.length };
}

/** Another framing, another protocol, a dialogue before the body, and what Node tells as a list, are not. */
function isPlain(name: string, value: string): boolean {
  switch (name) {
    case 'transfer-encoding':
    case 'expect':
    case 'upgrade':
    case 'set-cookie':
      return false;
    case 'connection':
      return value.toLowerCase() === 'keep-alive';
    case 'content-length':
      return LENGTH.test(value);
    default:
      return true;
  }
}

const TAB = 9;
const SPACE = 32;

function withoutBlanks(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  for (; start < end; start++) if (!isBlank(text.charCodeAt(start))) break;
  for (; end > start; end--) if (!isBlank(text.charCodeAt(end - 1))) break;
  return text.slice(start, end);
}

const isBlank = (code: number): boolean => code === SPACE || code === TAB;

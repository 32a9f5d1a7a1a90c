import { isIPv6 } from 'node:net';

const ADDRESS = '[address]';
const ENCODED = '[encoded]';

/** `%40` is the @ of an address in a URL. */
const EMAIL = /[^\s"'<>()[\]{},;:=]+(?:@|%40)[^\s"'<>()[\]{},;:=]+/gi;
const IPV4 = /\b\d{1,3}(?:\.\d{1,3}){3}\b/g;
const MAY_BE_IPV6 = /(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}(?:[0-9a-f]{1,4})?(?![\w:])/gi;

/** Replaces e-mail and IP addresses. */
export const maskAddresses = (text: string): string =>
  text
    .replaceAll(EMAIL, ADDRESS)
    .replaceAll(IPV4, ADDRESS)
    .replaceAll(MAY_BE_IPV6, (found) => (isIPv6(found) && found !== '::' ? ADDRESS : found));

/** Forty letters of base64 are thirty bytes: more than any name has without a separator. */
const UNBROKEN = /[\w+/-]{40,}=*/g;
const HEXADECIMAL = /^[0-9a-f]{64,}$/i;

/**
 * Replaces what may be base64 or hexadecimal: the request in another form, a token or a key. Ids of the provider stay, which have
 * digits and lower case letters only, and paths, which have no digits among capitals.
 */
export const maskEncoded = (text: string): string =>
  text.replaceAll(UNBROKEN, (found) => {
    const isBase64 = /[A-Z]/.test(found) && /[a-z]/.test(found) && /\d/.test(found);
    return isBase64 || HEXADECIMAL.test(found) ? ENCODED : found;
  });

/** A text without its escapes, and where each of its code units begins in the text with them. */
interface Unescaped {
  readonly text: string;
  /** One longer than the text: the last is the length of the text with its escapes. */
  readonly starts: Uint32Array;
}

const IN_URL = /(?:%[0-9a-f]{2})+|\+/gi;
const IN_HTML = /&(?:#\d{1,7}|#x[0-9a-f]{1,6}|\w{2,6});/gi;
const ENTITIES: Readonly<Record<string, string>> = { quot: '"', apos: "'", amp: '&', lt: '<', gt: '>', nbsp: '\u00a0' };

/** @returns the text as it is without the escapes of a URL and of HTML, as far as it has any */
export function unescaped(text: string): Unescaped[] {
  return [replacedIn(text, IN_URL, ofUrl), replacedIn(text, IN_HTML, ofHtml)].filter((each) => each !== undefined);
}

function ofUrl(escaped: string): string {
  if (escaped === '+') return ' ';
  return Buffer.from(escaped.replaceAll('%', ''), 'hex').toString();
}

function ofHtml(entity: string): string {
  const name = entity.slice(1, -1).toLowerCase();
  if (!name.startsWith('#')) return ENTITIES[name] ?? entity;
  const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
}

function replacedIn(escaped: string, pattern: RegExp, meaningOf: (found: string) => string): Unescaped | undefined {
  let text = '';
  const starts: number[] = [];
  let copied = 0;
  const copyUpTo = (end: number) => {
    for (; copied < end; copied++) {
      text += escaped[copied];
      starts.push(copied);
    }
  };
  for (const { 0: found, index } of escaped.matchAll(pattern)) {
    copyUpTo(index);
    const meaning = meaningOf(found);
    text += meaning;
    // A run that begins or ends within an escape takes the whole of it.
    for (let unit = 0; unit < meaning.length; unit++) starts.push(index);
    copied = index + found.length;
  }
  if (copied === 0) return undefined;
  copyUpTo(escaped.length);
  return { text, starts: Uint32Array.from([...starts, escaped.length]) };
}

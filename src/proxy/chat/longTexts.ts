import { isUtf8 } from 'node:buffer';
import { ByteStringMap } from '../requestBody/byteStringMap.ts';
import { Byte, endOfString, isSpace } from '../requestBody/jsonScan.ts';
import type { KnownText, KnownTexts } from './knownTexts.ts';

/** Members whose strings are only ever checked for being a string that is not empty, and forwarded. */
const TEXT_MEMBERS = new ByteStringMap([
  ['arguments', true],
  ['content', true],
  ['text', true],
]);

/** From here on taking a text out is cheaper than serializing it. */
const MIN_BYTES = 512;

/** Shorter strings that are looked at. What follows them stays in the body, so that many short ones cost little. */
const MAX_SHORT_STRINGS = 256;

/** Marks the place of a text. JSON need not escape it; a body that contains it is read without this. */
const MARK = '\x7f';
const MARK_BYTE = 0x7f;
const ESCAPED_MARK = /\\u007f/i;

/** A body whose long texts were replaced by short marks. */
export interface WithoutLongTexts {
  /** The JSON text of the body, with marks. */
  readonly json: string;
  readonly texts: readonly LongText[];
}

export interface LongText {
  /** The JSON string in the body without its quotes. */
  readonly escaped: Buffer;
  /** The text, or undefined when `known` says that it need not be parsed. */
  readonly parsed: string | undefined;
  readonly known: KnownText | undefined;
}

/**
 * Takes long texts out of a body, so that it can be mapped without serializing and encoding them again: they are most of its
 * bytes. The mapping must not examine the strings of `TEXT_MEMBERS`.
 * @param known texts of earlier requests, which are not parsed; those of this one are added
 * @returns undefined when there are none, or when they cannot be told from the rest
 * @throws SyntaxError when one of them is no valid JSON
 */
export function takeOutLongTexts(raw: Buffer, known: KnownTexts): WithoutLongTexts | undefined {
  const texts: LongText[] = [];
  /** Start and end of the texts, quotes included, that `known` does not have. */
  const unknown: number[] = [];
  let json = '';
  let copiedTo = 0;
  let shortStrings = 0;
  let keyStart = 0;
  let keyEnd = 0;
  for (let open = raw.indexOf(Byte.quote); open >= 0; open = raw.indexOf(Byte.quote, keyEnd)) {
    const end = endOfString(raw, open + 1);
    if (end < 0) return undefined;
    if (end - open < MIN_BYTES) {
      if (++shortStrings > MAX_SHORT_STRINGS) break;
    } else if (isValueOfMember(raw, keyEnd, open) && TEXT_MEMBERS.get(raw, keyStart + 1, keyEnd - 1)) {
      json += `${raw.toString('utf8', copiedTo, open)}"${MARK}${texts.length}${MARK}"`;
      const found = known.find(raw, open, end);
      if (!found) unknown.push(open, end);
      const parsed = found ? undefined : (JSON.parse(raw.toString('utf8', open, end)) as string);
      texts.push({ escaped: raw.subarray(open + 1, end - 1), parsed, known: found });
      copiedTo = end;
    }
    keyStart = open;
    keyEnd = end;
  }
  if (texts.length === 0 || raw.includes(MARK_BYTE) || !isUtf8(raw)) return undefined;
  json += raw.toString('utf8', copiedTo, raw.length);
  if (ESCAPED_MARK.test(json)) return undefined;
  for (let index = 0; index < unknown.length; index += 2) {
    known.remember(raw, unknown[index] as number, unknown[index + 1] as number);
  }
  return { json, texts };
}

/** Splits what has marks into the pieces between them and the numbers of the texts. */
export const splitAtMarks = (marked: string): (string | number)[] =>
  marked.split(MARK).map((piece, index) => (index % 2 === 1 ? Number(piece) : piece));

/** The whole text of a string that is one mark or has several, or of one without. */
export const revealed = (marked: string, texts: readonly LongText[]): string =>
  marked.includes(MARK)
    ? splitAtMarks(marked)
        .map((piece) => (typeof piece === 'string' ? piece : textOf(texts[piece] as LongText)))
        .join('')
    : marked;

const textOf = ({ parsed, escaped }: LongText): string => parsed ?? (JSON.parse(`"${escaped.toString()}"`) as string);

/** Whether there is only a colon between the string that ends at `keyEnd` and the one that begins at `open`. */
function isValueOfMember(raw: Buffer, keyEnd: number, open: number): boolean {
  let colons = 0;
  for (let at = keyEnd; at < open; at++) {
    if (raw[at] === Byte.colon) colons++;
    else if (!isSpace(raw[at])) return false;
  }
  return colons === 1;
}

import { isUtf8 } from 'node:buffer';
import { Byte, endOfString, isSpace } from '../requestBody/jsonScan.ts';

/** Members whose strings are only ever checked for being a string that is not empty, and forwarded. */
const TEXT_MEMBERS: ReadonlySet<string> = new Set(['arguments', 'content', 'text']);

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
  /** Puts the texts back into a string of the parsed body. */
  reveal(marked: string): string;
  /** Puts the texts, as the client has escaped them, back into JSON that was serialized from the parsed body. */
  restore(markedJson: string): Buffer[];
}

interface LongText {
  /** The JSON string in the body without its quotes. */
  readonly escaped: Buffer;
  readonly text: string;
}

/**
 * Takes long texts out of a body, so that it can be mapped without serializing and encoding them again: they are most of its
 * bytes. The mapping must not examine the strings of `TEXT_MEMBERS`.
 * @returns undefined when there are none, or when they cannot be told from the rest
 * @throws SyntaxError when one of them is no valid JSON
 */
export function takeOutLongTexts(raw: Buffer): WithoutLongTexts | undefined {
  const texts: LongText[] = [];
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
    } else if (
      isValueOfMember(raw, keyEnd, open) &&
      TEXT_MEMBERS.has(raw.toString('latin1', keyStart + 1, keyEnd - 1))
    ) {
      json += `${raw.toString('utf8', copiedTo, open)}"${MARK}${texts.length}${MARK}"`;
      texts.push({
        escaped: raw.subarray(open + 1, end - 1),
        text: JSON.parse(raw.toString('utf8', open, end)) as string,
      });
      copiedTo = end;
    }
    keyStart = open;
    keyEnd = end;
  }
  if (texts.length === 0 || raw.includes(MARK_BYTE) || !isUtf8(raw)) return undefined;
  json += raw.toString('utf8', copiedTo, raw.length);
  if (ESCAPED_MARK.test(json)) return undefined;
  return {
    json,
    reveal: (marked) =>
      marked.includes(MARK)
        ? marked
            .split(MARK)
            .map((piece, index) => (isMarked(index) ? textAt(texts, piece).text : piece))
            .join('')
        : marked,
    restore: (markedJson) =>
      markedJson
        .split(MARK)
        .map((piece, index) => (isMarked(index) ? textAt(texts, piece).escaped : Buffer.from(piece))),
  };
}

/** Of what marks separate, every second piece is the number of a text. */
const isMarked = (index: number): boolean => index % 2 === 1;

const textAt = (texts: readonly LongText[], number: string): LongText => texts[Number(number)] as LongText;

/** Whether there is only a colon between the string that ends at `keyEnd` and the one that begins at `open`. */
function isValueOfMember(raw: Buffer, keyEnd: number, open: number): boolean {
  let colons = 0;
  for (let at = keyEnd; at < open; at++) {
    if (raw[at] === Byte.colon) colons++;
    else if (!isSpace(raw[at])) return false;
  }
  return colons === 1;
}

import { startsWithBytes } from '../requestBody/bytes.ts';
import { Byte, endOfString } from '../requestBody/jsonScan.ts';

const ZERO = 0x30;
const NINE = 0x39;
const MAX_DIGITS = 9;
const SPACE = 0x20;

const OUTPUT_INDEX = Buffer.from('output_index');
const CONTENT_INDEX = Buffer.from('content_index');
const ITEM = Buffer.from('item');
const CONTENT = Buffer.from('content');
const TYPE = Buffer.from('type');
const MESSAGE = Buffer.from('"message"');
const OUTPUT_TEXT = Buffer.from('"output_text"');

/** The event before the first part of an item. */
export const ITEM_ADDED = 'response.output_item.added';
/** The event after the last piece of a part, which has its whole text again. */
export const TEXT_DONE = 'response.output_text.done';
/** The event after the last part of an item, which has all its texts again. */
export const ITEM_DONE = 'response.output_item.done';

/** Which texts of the message an event contains; none before the first part of an item. */
export interface PartsOfEvent {
  readonly outputIndex: number;
  /** Of one part, or of the first `count`. */
  readonly contentIndex: number;
  readonly count: number;
}

/**
 * Finds which texts an event repeats without decoding or parsing it. Skips the texts, which are nearly all of it, by searching
 * for their closing quotes. Does not validate: what it finds is true if the payload is JSON.
 * @param start @param end offsets of the payload
 * @returns undefined when the event must be parsed: it is not compact, or has other content than texts
 */
export function textsRepeatedBy(
  type: typeof ITEM_ADDED | typeof TEXT_DONE | typeof ITEM_DONE,
  bytes: Buffer,
  start: number,
  end: number,
): PartsOfEvent | undefined {
  return new Walk(bytes, end).event(start, type);
}

/** What a walk knows of an object: reads the member whose value is at `at`. Names are between two offsets. */
type ReadMember = (walk: Walk, name: number, nameEnd: number, at: number) => number;

/** One walk over compact JSON. Each method returns the position after what it read, -1 when that must be parsed. */
class Walk {
  readonly #bytes: Buffer;
  readonly #end: number;
  #outputIndex = -1;
  #contentIndex = -1;
  #count = -1;
  #isMessage = false;
  #isText = false;

  constructor(bytes: Buffer, end: number) {
    this.#bytes = bytes;
    this.#end = end;
  }

  event(start: number, type: string): PartsOfEvent | undefined {
    if (this.#members(start, Walk.#eventMember) !== this.#end || this.#outputIndex < 0) return undefined;
    const outputIndex = this.#outputIndex;
    if (type === TEXT_DONE) {
      return this.#contentIndex < 0 ? undefined : { outputIndex, contentIndex: this.#contentIndex, count: 1 };
    }
    if (!this.#isMessage) return undefined;
    if (type === ITEM_ADDED) return { outputIndex, contentIndex: 0, count: 0 };
    return this.#count >= 0 ? { outputIndex, contentIndex: 0, count: this.#count } : undefined;
  }

  static readonly #eventMember: ReadMember = (walk, name, nameEnd, at) => {
    if (walk.#isNamed(name, nameEnd, OUTPUT_INDEX)) {
      walk.#outputIndex = walk.#numberAt(at);
      return walk.#outputIndex < 0 ? -1 : walk.#value(at);
    }
    if (walk.#isNamed(name, nameEnd, CONTENT_INDEX)) {
      walk.#contentIndex = walk.#numberAt(at);
      return walk.#contentIndex < 0 ? -1 : walk.#value(at);
    }
    if (!walk.#isNamed(name, nameEnd, ITEM)) return walk.#value(at);
    return walk.#isMessage || walk.#count >= 0 ? -1 : walk.#members(at, Walk.#itemMember);
  };

  static readonly #itemMember: ReadMember = (walk, name, nameEnd, at) => {
    if (walk.#isNamed(name, nameEnd, TYPE)) {
      if (walk.#isMessage || !startsWithBytes(walk.#bytes, at, MESSAGE)) return -1;
      walk.#isMessage = true;
    } else if (walk.#isNamed(name, nameEnd, CONTENT)) {
      return walk.#count < 0 ? walk.#parts(at) : -1;
    }
    return walk.#value(at);
  };

  static readonly #partMember: ReadMember = (walk, name, nameEnd, at) => {
    if (walk.#isNamed(name, nameEnd, TYPE)) {
      if (walk.#isText || !startsWithBytes(walk.#bytes, at, OUTPUT_TEXT)) return -1;
      walk.#isText = true;
    }
    return walk.#value(at);
  };

  #isNamed(name: number, nameEnd: number, expected: Buffer): boolean {
    return nameEnd - name === expected.length && startsWithBytes(this.#bytes, name, expected);
  }

  /** Reads an array of parts, all of them texts. */
  #parts(start: number): number {
    const bytes = this.#bytes;
    this.#count = 0;
    if (bytes[start] !== Byte.openBracket) return -1;
    if (bytes[start + 1] === Byte.closeBracket) return start + 2;
    for (let at = start + 1; ; at++) {
      this.#isText = false;
      at = this.#members(at, Walk.#partMember);
      if (at < 0 || !this.#isText) return -1;
      this.#count++;
      if (bytes[at] === Byte.closeBracket) return at + 1;
      if (bytes[at] !== Byte.comma) return -1;
    }
  }

  /** Reads an object. Names with escapes must be parsed. */
  #members(start: number, read: ReadMember): number {
    const bytes = this.#bytes;
    if (bytes[start] !== Byte.openBrace) return -1;
    for (let at = start + 1; ; at++) {
      if (bytes[at] !== Byte.quote) return -1;
      let nameEnd = at + 1;
      while (nameEnd < this.#end && bytes[nameEnd] !== Byte.quote && bytes[nameEnd] !== Byte.backslash) nameEnd++;
      if (bytes[nameEnd] !== Byte.quote || bytes[nameEnd + 1] !== Byte.colon) return -1;
      at = read(this, at + 1, nameEnd, nameEnd + 2);
      if (at < 0 || at >= this.#end) return -1;
      if (bytes[at] === Byte.closeBrace) return at + 1;
      if (bytes[at] !== Byte.comma) return -1;
    }
  }

  /** Skips a string, a simple value, or an object or array that is empty. */
  #value(start: number): number {
    const bytes = this.#bytes;
    const first = bytes[start];
    if (first === Byte.quote) return endOfString(bytes, start + 1);
    if (first === Byte.openBracket) return bytes[start + 1] === Byte.closeBracket ? start + 2 : -1;
    if (first === Byte.openBrace) return bytes[start + 1] === Byte.closeBrace ? start + 2 : -1;
    for (let at = start; at < this.#end; at++) {
      const byte = bytes[at] as number;
      if (byte === Byte.comma || byte === Byte.closeBrace || byte === Byte.closeBracket) return at;
      // Anything that could hide the end of the value.
      if (byte <= SPACE || byte === Byte.quote || byte === Byte.openBrace || byte === Byte.openBracket) return -1;
    }
    return -1;
  }

  /** @returns -1 unless it is a whole number of a few digits */
  #numberAt(start: number): number {
    const bytes = this.#bytes;
    let value = 0;
    let at = start;
    for (; at - start <= MAX_DIGITS; at++) {
      const byte = bytes[at] as number;
      if (!(byte >= ZERO && byte <= NINE)) break;
      value = value * 10 + byte - ZERO;
    }
    const isWhole = at > start && at - start <= MAX_DIGITS;
    return isWhole && (bytes[at] === Byte.comma || bytes[at] === Byte.closeBrace) ? value : -1;
  }
}

import { startsWithBytes } from '../requestBody/bytes.ts';
import { Byte } from '../requestBody/jsonScan.ts';

const EVENT_LINE = Buffer.from('event: response.output_text.delta\n');
const DATA = Buffer.from('data: {');
const TYPE = Buffer.from('"response.output_text.delta"');
const TYPED_DATA = Buffer.from('data: {"type":"response.output_text.delta"');
const NO_LOGPROBS = Buffer.from('[]');
const END = Buffer.from('}\n\n');

const ZERO = 0x30;
const NINE = 0x39;
const MAX_DIGITS = 9;
const FIRST_NON_ASCII = 0x80;

/** Escapes that JSON.stringify writes, too. */
const COMMON_ESCAPES: ReadonlySet<number> = new Set(Buffer.from('"\\bfnrt'));

const NAMES = {
  type: Buffer.from('type'),
  delta: Buffer.from('delta'),
  itemId: Buffer.from('item_id'),
  logprobs: Buffer.from('logprobs'),
  obfuscation: Buffer.from('obfuscation'),
  outputIndex: Buffer.from('output_index'),
  contentIndex: Buffer.from('content_index'),
  sequenceNumber: Buffer.from('sequence_number'),
} as const;

/** Kinds of values that differ from event to event. Numbers, because they are compared for every event. */
const Slot = { number: 0, text: 1, padding: 2 } as const;

const NOTHING = Buffer.alloc(0);
const viewOf = ({ buffer, byteOffset, byteLength }: Buffer) => new DataView(buffer, byteOffset, byteLength);

/**
 * Reads the event that brings a piece of text, nearly all events of a response, without decoding or parsing it. Reads it only
 * as providers commonly write it: no spaces, known members, no log probabilities, and a text whose JSON is what JSON.stringify
 * would write. Everything else must be parsed.
 */
export class TextDeltaScanner {
  /** Where the piece is as a JSON string, quotes included. */
  textStart = 0;
  textEnd = 0;
  outputIndex = 0;
  contentIndex = 0;
  /** No text since the last call of `read` has anything but ASCII. */
  isAscii = true;
  #bytes: Buffer = NOTHING;
  /** To compare four bytes at once; made when `readNext` needs it. */
  #view: DataView = viewOf(NOTHING);
  #viewed: Buffer = NOTHING;
  /** Position after the value that was read last. */
  #at = 0;
  /** The event that `read` has read last: its offsets, and kind, start and end of its slots. */
  #start = 0;
  #end = 0;
  readonly #slots: number[] = [];

  /** @returns the position after the event that begins at `start`; -1 when it is not of the common form */
  read(bytes: Buffer, start: number): number {
    const isNamed = startsWithBytes(bytes, start, EVENT_LINE);
    const data = isNamed ? start + EVENT_LINE.length : start;
    if (!startsWithBytes(bytes, data, isNamed ? DATA : TYPED_DATA)) return -1;
    this.#bytes = bytes;
    this.#start = start;
    this.#at = data + DATA.length;
    this.#slots.length = 0;
    this.textEnd = this.textStart;
    this.outputIndex = -1;
    this.contentIndex = 0;
    this.isAscii = true;
    while (this.#readMember()) {
      if (bytes[this.#at] === Byte.comma) {
        this.#at++;
        continue;
      }
      const isComplete = this.#hasText && this.outputIndex >= 0 && startsWithBytes(bytes, this.#at, END);
      if (!isComplete) return -1;
      this.#at += END.length;
      this.#end = this.#at;
      return this.#at;
    }
    return -1;
  }

  /**
   * Reads the event behind the one that was read last if it is the same but for its number, text and padding: comparing costs
   * less than looking at each member.
   * @returns the position after it; -1 when it is another one, which `read` may know
   */
  readNext(): number {
    const start = this.#at;
    if (start >= this.#bytes.length) return -1;
    if (this.#viewed !== this.#bytes) {
      this.#viewed = this.#bytes;
      this.#view = viewOf(this.#bytes);
    }
    if (this.#matchSlots() && this.#hasText) return this.#at;
    this.#at = start;
    return -1;
  }

  /** Position after the event that was read last. */
  get end(): number {
    return this.#at;
  }

  get #hasText(): boolean {
    return this.textEnd - this.textStart > 2;
  }

  #matchSlots(): boolean {
    const slots = this.#slots;
    let modelAt = this.#start;
    for (let index = 0; index < slots.length; index += 3) {
      if (!this.#skipEqual(modelAt, slots[index + 1] as number)) return false;
      const kind = slots[index];
      const value = this.#at;
      if (kind === Slot.number ? this.#readNumber(value) < 0 : !this.#readString(value)) return false;
      if (kind === Slot.text) {
        this.textStart = value;
        this.textEnd = this.#at;
      }
      modelAt = slots[index + 2] as number;
    }
    return this.#skipEqual(modelAt, this.#end);
  }

  /** Moves on if the next bytes are those between these offsets. */
  #skipEqual(start: number, end: number): boolean {
    const view = this.#view;
    const shift = this.#at - start;
    if (end + shift > view.byteLength) return false;
    let at = start;
    for (; at + 4 <= end; at += 4) if (view.getInt32(at, true) !== view.getInt32(at + shift, true)) return false;
    for (; at < end; at++) if (view.getInt8(at) !== view.getInt8(at + shift)) return false;
    this.#at = end + shift;
    return true;
  }

  #readMember(): boolean {
    const bytes = this.#bytes;
    const name = this.#at + 1;
    if (bytes[this.#at] !== Byte.quote) return false;
    let nameEnd = name;
    while (nameEnd < bytes.length && bytes[nameEnd] !== Byte.quote) nameEnd++;
    if (bytes[nameEnd + 1] !== Byte.colon) return false;
    const value = nameEnd + 2;
    // Each of these names has another length.
    switch (nameEnd - name) {
      case NAMES.type.length:
        return startsWithBytes(bytes, name, NAMES.type) && this.#readLiteral(value, TYPE);
      case NAMES.delta.length:
        if (!startsWithBytes(bytes, name, NAMES.delta) || !this.#readString(value)) return false;
        this.textStart = value;
        this.textEnd = this.#at;
        return this.#addSlot(Slot.text, value);
      case NAMES.itemId.length:
        return startsWithBytes(bytes, name, NAMES.itemId) && this.#readString(value);
      case NAMES.logprobs.length:
        return startsWithBytes(bytes, name, NAMES.logprobs) && this.#readLiteral(value, NO_LOGPROBS);
      case NAMES.obfuscation.length:
        if (!startsWithBytes(bytes, name, NAMES.obfuscation) || !this.#readString(value)) return false;
        return this.#addSlot(Slot.padding, value);
      case NAMES.outputIndex.length:
        this.outputIndex = startsWithBytes(bytes, name, NAMES.outputIndex) ? this.#readNumber(value) : -1;
        return this.outputIndex >= 0;
      case NAMES.contentIndex.length:
        this.contentIndex = startsWithBytes(bytes, name, NAMES.contentIndex) ? this.#readNumber(value) : -1;
        return this.contentIndex >= 0;
      case NAMES.sequenceNumber.length:
        if (!startsWithBytes(bytes, name, NAMES.sequenceNumber) || this.#readNumber(value) < 0) return false;
        return this.#addSlot(Slot.number, value);
      default:
        return false;
    }
  }

  #addSlot(kind: number, start: number): true {
    this.#slots.push(kind, start, this.#at);
    return true;
  }

  #readLiteral(start: number, literal: Buffer): boolean {
    if (!startsWithBytes(this.#bytes, start, literal)) return false;
    this.#at = start + literal.length;
    return true;
  }

  /** @returns -1 unless it is a whole number of a few digits */
  #readNumber(start: number): number {
    const bytes = this.#bytes;
    let value = 0;
    let at = start;
    for (; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte < ZERO || byte > NINE) break;
      value = value * 10 + byte - ZERO;
    }
    const digits = at - start;
    if (digits === 0 || digits > MAX_DIGITS || (digits > 1 && bytes[start] === ZERO)) return -1;
    this.#at = at;
    return value;
  }

  #readString(start: number): boolean {
    const bytes = this.#bytes;
    if (bytes[start] !== Byte.quote) return false;
    let seen = 0;
    for (let at = start + 1; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte === Byte.quote) {
        this.#at = at + 1;
        if (seen >= FIRST_NON_ASCII) this.isAscii = false;
        return true;
      }
      if (byte < 0x20) return false;
      seen |= byte;
      if (byte === Byte.backslash && !COMMON_ESCAPES.has(bytes[++at] as number)) return false;
    }
    return false;
  }
}

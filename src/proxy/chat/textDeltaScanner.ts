const TYPE = '"response.output_text.delta"';
const EVENT_LINE = 'event: response.output_text.delta\n';
const DATA = 'data: {';
const TYPED_DATA = `${DATA}"type":${TYPE}`;
const END = '}\n\n';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const ZERO = 0x30;
const NINE = 0x39;
const BACKSLASH = 0x5c;
const MAX_DIGITS = 9;

/** Escapes that JSON.stringify writes, too. */
const COMMON_ESCAPES: ReadonlySet<number> = new Set(Array.from('"\\bfnrt', (letter) => letter.charCodeAt(0)));

/**
 * Reads the event that brings a piece of text, nearly all events of a response, without parsing it: one pass over its
 * characters. Reads it only as providers commonly write it: no spaces, known members, no log probabilities, and a text whose
 * JSON is what JSON.stringify would write. Everything else must be parsed.
 */
export class TextDeltaScanner {
  /** The piece as a JSON string, quotes included. */
  text = '';
  outputIndex = 0;
  contentIndex = 0;
  #source = '';
  /** Position after the value that was read last. */
  #at = 0;

  /** @returns the position after the event that begins at `start`; -1 when it is not of the common form */
  read(source: string, start: number): number {
    const isNamed = source.startsWith(EVENT_LINE, start);
    const data = isNamed ? start + EVENT_LINE.length : start;
    if (!source.startsWith(isNamed ? DATA : TYPED_DATA, data)) return -1;
    this.#source = source;
    this.#at = data + DATA.length;
    this.text = '';
    this.outputIndex = -1;
    this.contentIndex = 0;
    while (this.#readMember()) {
      if (source.charCodeAt(this.#at) === COMMA) {
        this.#at++;
        continue;
      }
      const isComplete = this.text.length > 2 && this.outputIndex >= 0 && source.startsWith(END, this.#at);
      return isComplete ? this.#at + END.length : -1;
    }
    return -1;
  }

  #readMember(): boolean {
    const source = this.#source;
    const name = this.#at + 1;
    if (source.charCodeAt(this.#at) !== QUOTE) return false;
    const nameEnd = source.indexOf('"', name);
    if (nameEnd < 0 || source.charCodeAt(nameEnd + 1) !== COLON) return false;
    const value = nameEnd + 2;
    // Each of these names has another length.
    switch (nameEnd - name) {
      case 'type'.length:
        return source.startsWith('type', name) && this.#readLiteral(value, TYPE);
      case 'delta'.length:
        if (!source.startsWith('delta', name) || !this.#readString(value)) return false;
        this.text = source.slice(value, this.#at);
        return true;
      case 'item_id'.length:
        return source.startsWith('item_id', name) && this.#readString(value);
      case 'logprobs'.length:
        return source.startsWith('logprobs', name) && this.#readLiteral(value, '[]');
      case 'obfuscation'.length:
        return source.startsWith('obfuscation', name) && this.#readString(value);
      case 'output_index'.length:
        this.outputIndex = source.startsWith('output_index', name) ? this.#readNumber(value) : -1;
        return this.outputIndex >= 0;
      case 'content_index'.length:
        this.contentIndex = source.startsWith('content_index', name) ? this.#readNumber(value) : -1;
        return this.contentIndex >= 0;
      case 'sequence_number'.length:
        return source.startsWith('sequence_number', name) && this.#readNumber(value) >= 0;
      default:
        return false;
    }
  }

  #readLiteral(start: number, literal: string): boolean {
    if (!this.#source.startsWith(literal, start)) return false;
    this.#at = start + literal.length;
    return true;
  }

  /** @returns -1 unless it is a whole number of a few digits */
  #readNumber(start: number): number {
    const source = this.#source;
    let value = 0;
    let at = start;
    for (;;) {
      const code = source.charCodeAt(at);
      if (!(code >= ZERO && code <= NINE)) break;
      value = value * 10 + code - ZERO;
      at++;
    }
    const digits = at - start;
    if (digits === 0 || digits > MAX_DIGITS || (digits > 1 && source.charCodeAt(start) === ZERO)) return -1;
    this.#at = at;
    return value;
  }

  #readString(start: number): boolean {
    const source = this.#source;
    if (source.charCodeAt(start) !== QUOTE) return false;
    for (let at = start + 1; ; at++) {
      const code = source.charCodeAt(at);
      if (code === QUOTE) {
        this.#at = at + 1;
        return true;
      }
      // NaN at the end of the source fails the first comparison.
      if (!(code >= 0x20)) return false;
      if (code === BACKSLASH && !COMMON_ESCAPES.has(source.charCodeAt(++at))) return false;
    }
  }
}

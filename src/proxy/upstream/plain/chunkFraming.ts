import { FieldLines, isTextByte } from './fieldLines.ts';
import { MalformedResponse } from './malformedResponse.ts';

/** Maximum size of the extensions of one chunk, which are skipped; that of Node. */
const MAX_EXTENSION_BYTES = 16_384;
/** Maximum size of the trailers, which are skipped. */
const MAX_TRAILER_BYTES = 65_536;
/** 2^40 bytes: an exact number, and more than any provider sends in a chunk. */
const MAX_SIZE_DIGITS = 10;
const [TAB, LF, CR, SPACE, SEMICOLON] = [9, 10, 13, 32, 59] as const;

/** What the next byte belongs to. Numbers, because this is compared for every byte. */
const State = {
  size: 0,
  blanks: 1,
  extension: 2,
  sizeLf: 3,
  dataCr: 4,
  dataLf: 5,
  trailers: 6,
} as const;

/** Returned by `read` while more bytes are needed. */
export const INCOMPLETE = -1;

/** Reads the bytes between the chunks of a chunked body (RFC 9112 section 7.1). */
export class ChunkFraming {
  #state: number = State.size;
  #size = 0;
  #digits = 0;
  /** Bytes of the extensions of this chunk, or of the trailers. */
  #skipped = 0;
  #trailers: FieldLines | undefined;

  /** Called when the data of the announced chunk has been read. */
  endChunk(): void {
    this.#state = State.dataCr;
  }

  /**
   * @returns the size of the chunk whose data begins after this byte, 0 if the body ends with it, else INCOMPLETE
   * @throws MalformedResponse
   */
  read(byte: number): number {
    switch (this.#state) {
      case State.size:
        return this.#readSize(byte);
      case State.blanks:
        return this.#readBlank(byte);
      case State.extension:
        return this.#readExtension(byte);
      case State.sizeLf:
        expectByte(byte, LF);
        this.#digits = 0;
        this.#skipped = 0;
        return this.#size > 0 ? this.#size : this.#enter(State.trailers);
      case State.dataCr:
        return this.#step(byte, CR, State.dataLf);
      case State.dataLf:
        return this.#step(byte, LF, State.size);
      default:
        return this.#readTrailers(byte);
    }
  }

  #readSize(byte: number): number {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      this.#size = this.#digits === 0 ? digit : this.#size * 16 + digit;
      this.#digits += 1;
      if (this.#digits <= MAX_SIZE_DIGITS) return INCOMPLETE;
    } else if (this.#digits > 0) {
      return this.#readBlank(byte);
    }
    throw new MalformedResponse('a chunk has no valid size');
  }

  /** Behind a size: some servers pad it with blanks. */
  #readBlank(byte: number): number {
    if (byte === CR) return this.#enter(State.sizeLf);
    this.#skip(MAX_EXTENSION_BYTES, 'chunk extensions');
    if (byte === SEMICOLON) return this.#enter(State.extension);
    if (byte === SPACE || byte === TAB) return this.#enter(State.blanks);
    throw new MalformedResponse('a chunk has no valid size');
  }

  #readExtension(byte: number): number {
    if (byte === CR) return this.#enter(State.sizeLf);
    this.#skip(MAX_EXTENSION_BYTES, 'chunk extensions');
    if (!isTextByte(byte)) throw new MalformedResponse('a chunk extension has a control character');
    return INCOMPLETE;
  }

  #readTrailers(byte: number): number {
    this.#trailers ??= new FieldLines();
    this.#skip(MAX_TRAILER_BYTES, 'trailers');
    return this.#trailers.read(byte) ? 0 : INCOMPLETE;
  }

  #step(byte: number, expected: number, next: number): number {
    expectByte(byte, expected);
    return this.#enter(next);
  }

  #enter(state: number): number {
    this.#state = state;
    return INCOMPLETE;
  }

  #skip(maxBytes: number, what: string): void {
    this.#skipped += 1;
    if (this.#skipped > maxBytes) throw new MalformedResponse(`${what} exceed ${maxBytes} bytes`);
  }
}

function expectByte(byte: number, expected: number): void {
  if (byte !== expected) throw new MalformedResponse('a chunk is longer than its announced size');
}

/** @returns the value of a hexadecimal digit; -1 for any other byte */
function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

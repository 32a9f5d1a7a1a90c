import { MalformedResponse } from './responseHead.ts';

/** Maximum size of chunk extensions and trailers together, which are skipped. */
const MAX_SKIPPED_BYTES = 65_536;
/** 2^40 bytes: an exact number, and more than any provider sends in a chunk. */
const MAX_SIZE_DIGITS = 10;
const [TAB, LF, CR, SPACE, SEMICOLON] = [9, 10, 13, 32, 59] as const;

/** What the next byte belongs to. Numbers, because this is compared for every byte. */
const State = {
  size: 0,
  extension: 1,
  sizeLf: 2,
  dataCr: 3,
  dataLf: 4,
  trailer: 5,
  trailerLine: 6,
  lastLf: 7,
} as const;

/** Returned by `read` while more bytes are needed. */
export const INCOMPLETE = -1;

/** Reads the bytes between the chunks of a chunked body (RFC 9112 section 7.1). */
export class ChunkFraming {
  #state: number = State.size;
  #size = 0;
  #digits = 0;
  #skipped = 0;

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
      case State.extension:
        this.#skip();
        if (byte === CR) this.#state = State.sizeLf;
        return INCOMPLETE;
      case State.sizeLf:
        expectByte(byte, LF);
        this.#digits = 0;
        if (this.#size > 0) return this.#size;
        this.#state = State.trailer;
        return INCOMPLETE;
      case State.dataCr:
        return this.#step(byte, CR, State.dataLf);
      case State.dataLf:
        return this.#step(byte, LF, State.size);
      case State.trailer:
        this.#skip();
        this.#state = byte === CR ? State.lastLf : State.trailerLine;
        return INCOMPLETE;
      case State.trailerLine:
        this.#skip();
        if (byte === LF) this.#state = State.trailer;
        return INCOMPLETE;
      default:
        expectByte(byte, LF);
        return 0;
    }
  }

  #readSize(byte: number): number {
    const digit = hexDigit(byte);
    if (digit >= 0) {
      this.#size = this.#digits === 0 ? digit : this.#size * 16 + digit;
      this.#digits += 1;
      if (this.#digits <= MAX_SIZE_DIGITS) return INCOMPLETE;
    } else if (this.#digits > 0) {
      if (byte === CR) return this.#enter(State.sizeLf);
      if (byte === SEMICOLON || byte === SPACE || byte === TAB) return this.#enter(State.extension);
    }
    throw new MalformedResponse('a chunk has no valid size');
  }

  #step(byte: number, expected: number, next: number): number {
    expectByte(byte, expected);
    return this.#enter(next);
  }

  #enter(state: number): number {
    this.#state = state;
    return INCOMPLETE;
  }

  #skip(): void {
    this.#skipped += 1;
    if (this.#skipped > MAX_SKIPPED_BYTES) {
      throw new MalformedResponse(`chunk extensions and trailers exceed ${MAX_SKIPPED_BYTES} bytes`);
    }
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

import { MalformedResponse } from './responseHead.ts';

/** Of extensions and trailers together; nobody looks at them. */
const MAX_EXTRAS_BYTES = 65_536;
/** 2^40 bytes: exact, and more than anybody sends in one chunk. */
const MAX_SIZE_DIGITS = 10;
const [TAB, LF, CR, SPACE, SEMICOLON] = [9, 10, 13, 32, 59] as const;

/** What comes next. Numbers, because every byte is looked at. */
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

/** More of them are needed to tell what follows. */
export const UNDECIDED = -1;

/** Reads what stands between the chunks of a body (RFC 9112 section 7.1), byte by byte. */
export class ChunkMarks {
  #state: number = State.size;
  #size = 0;
  #digits = 0;
  #extras = 0;

  /** The chunk that was announced has been read. */
  endChunk(): void {
    this.#state = State.dataCr;
  }

  /**
   * @returns the size of the chunk that begins behind this byte, 0 when the body ends with it, else UNDECIDED
   * @throws MalformedResponse
   */
  read(byte: number): number {
    switch (this.#state) {
      case State.size:
        return this.#readSize(byte);
      case State.extension:
        this.#skip();
        if (byte === CR) this.#state = State.sizeLf;
        return UNDECIDED;
      case State.sizeLf:
        expect(byte, LF);
        this.#digits = 0;
        if (this.#size > 0) return this.#size;
        this.#state = State.trailer;
        return UNDECIDED;
      case State.dataCr:
        return this.#step(byte, CR, State.dataLf);
      case State.dataLf:
        return this.#step(byte, LF, State.size);
      case State.trailer:
        this.#skip();
        this.#state = byte === CR ? State.lastLf : State.trailerLine;
        return UNDECIDED;
      case State.trailerLine:
        this.#skip();
        if (byte === LF) this.#state = State.trailer;
        return UNDECIDED;
      default:
        expect(byte, LF);
        return 0;
    }
  }

  #readSize(byte: number): number {
    const digit = hexValue(byte);
    if (digit >= 0) {
      this.#size = this.#digits === 0 ? digit : this.#size * 16 + digit;
      this.#digits += 1;
      if (this.#digits <= MAX_SIZE_DIGITS) return UNDECIDED;
    } else if (this.#digits > 0) {
      if (byte === CR) return this.#to(State.sizeLf);
      if (byte === SEMICOLON || byte === SPACE || byte === TAB) return this.#to(State.extension);
    }
    throw new MalformedResponse('a chunk has no size');
  }

  #step(byte: number, expected: number, next: number): number {
    expect(byte, expected);
    return this.#to(next);
  }

  #to(state: number): number {
    this.#state = state;
    return UNDECIDED;
  }

  #skip(): void {
    this.#extras += 1;
    if (this.#extras > MAX_EXTRAS_BYTES) throw new MalformedResponse('extensions and trailers find no end');
  }
}

function expect(byte: number, expected: number): void {
  if (byte !== expected) throw new MalformedResponse('a chunk does not end where it should');
}

/** Of a hexadecimal digit; -1 when it is none. */
function hexValue(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

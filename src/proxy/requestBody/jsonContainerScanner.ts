import { Byte, endOfString } from './jsonScan.ts';

/** Bytes decoded first. Each further piece is four times as large, so that little is decoded in vain for a short value. */
const FIRST_PIECE = 1_024;
const MAX_PIECE = 65_536;

/**
 * Finds where the objects and arrays of one body end. Strings are skipped by searching decoded text for quotes, which V8
 * does several times as fast as the same search in a buffer or a loop. The text is reused from one value to the next.
 */
export class JsonContainerScanner {
  readonly #raw: Buffer;
  /** One character for each byte from `#textStart` on. */
  #text = '';
  #textStart = 0;
  #textEnd = 0;
  #pieceSize = FIRST_PIECE;

  constructor(raw: Buffer) {
    this.#raw = raw;
  }

  /**
   * @param start position of the opening bracket or brace
   * @param maxDepth maximum number of containers open at once
   * @returns the position after the closing one; -1 when there is none or the value is nested deeper
   */
  endOf(start: number, maxDepth: number): number {
    const raw = this.#raw;
    let depth = 0;
    let at = start;
    while (at < raw.length) {
      if (at < this.#textStart || at >= this.#textEnd) this.#decode(at);
      const text = this.#text;
      const textStart = this.#textStart;
      const textEnd = this.#textEnd;
      while (at < textEnd) {
        const byte = raw[at++] as number;
        if (byte === Byte.quote) {
          const quote = textStart + text.indexOf('"', at - textStart);
          at = quote >= at && raw[quote - 1] !== Byte.backslash ? quote + 1 : endOfString(raw, at);
          if (at < 0) return -1;
        } else if (isOpening(byte)) {
          if (++depth > maxDepth) return -1;
        } else if (isClosing(byte)) {
          if (--depth === 0) return at;
        }
      }
    }
    return -1;
  }

  #decode(at: number): void {
    this.#text = this.#raw.toString('latin1', at, at + this.#pieceSize);
    this.#textStart = at;
    this.#textEnd = at + this.#text.length;
    this.#pieceSize = Math.min(this.#pieceSize * 4, MAX_PIECE);
  }
}

/** The bracket and the brace differ in one bit. */
const isOpening = (byte: number): boolean => (byte | 0x20) === Byte.openBrace;
const isClosing = (byte: number): boolean => (byte | 0x20) === Byte.closeBrace;

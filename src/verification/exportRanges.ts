import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { parseJson } from '../eventLog/storedChain.ts';
import { EVENT_LINE } from './readRange.ts';
import type { ScanRange } from './scanProtocol.ts';

/** Bytes that are read at once; a line is shorter. */
const BLOCK_BYTES = 2_097_152;
const LINE_FEED = 10;

/** Reads an export from its beginning to its end: its digest, and the lines that are no events. */
export class ExportRanges {
  /** Lines that are no events, parsed, in order; undefined for one that is not JSON. */
  readonly others: unknown[] = [];
  /** Whether the last line is complete. */
  isComplete = false;
  /** SHA-256 of everything before the line of the end. */
  digest: string | undefined;
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Yields ranges of whole lines. */
  *read(): Generator<ScanRange> {
    const file = openSync(this.#path, 'r');
    const hash = createHash('sha256');
    let bytes = Buffer.allocUnsafe(BLOCK_BYTES);
    let [at, kept] = [0, 0];
    try {
      for (;;) {
        if (kept === bytes.length) bytes = Buffer.concat([bytes], bytes.length * 2);
        const read = readSync(file, bytes, kept, bytes.length - kept, at + kept);
        const filled = kept + read;
        const whole = read === 0 ? filled : bytes.lastIndexOf(LINE_FEED, filled - 1) + 1;
        if (whole > 0) {
          this.#readLines(bytes.subarray(0, whole), hash);
          yield { from: at, to: at + whole };
        }
        if (read === 0) return;
        bytes.copy(bytes, 0, whole, filled);
        at += whole;
        kept = filled - whole;
      }
    } finally {
      closeSync(file);
    }
  }

  #readLines(bytes: Buffer, hash: ReturnType<typeof createHash>): void {
    let hashedTo = 0;
    for (let start = 0; start < bytes.length; ) {
      const feed = bytes.indexOf(LINE_FEED, start);
      const end = feed < 0 ? bytes.length : feed;
      if (!isEvent(bytes, start)) {
        const value = parseJson(bytes.toString('utf8', start, end));
        this.others.push(value);
        if (typeof value === 'object' && value !== null && 'end' in value) {
          hash.update(bytes.subarray(hashedTo, start));
          hashedTo = end + 1;
          this.digest = hash.copy().digest('hex');
          this.isComplete = feed >= 0;
        }
      }
      start = end + 1;
    }
    hash.update(bytes.subarray(hashedTo));
  }
}

const PREFIX = Buffer.from(EVENT_LINE);

const isEvent = (bytes: Buffer, at: number): boolean =>
  bytes.compare(PREFIX, 0, PREFIX.length, at, Math.min(at + PREFIX.length, bytes.length)) === 0;

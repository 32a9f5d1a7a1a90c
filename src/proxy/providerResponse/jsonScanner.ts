import type { SseEvent } from './sse.ts';
import { EventTooLarge, type ScanResult } from './sseScanner.ts';

const MAX_BYTES = 16 * 1_048_576;
const NOTHING: ScanResult = { bytes: Buffer.alloc(0), begins: false, terminal: undefined };

/** Collects an answer that is no stream: its end is its one event. */
export class JsonScanner {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(maxBytes: number = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** @throws EventTooLarge */
  push(chunk: Buffer): ScanResult {
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) throw new EventTooLarge();
    this.#pieces.push(chunk);
    return NOTHING;
  }

  end(): ScanResult {
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    if (bytes.length === 0) return NOTHING;
    const whole: SseEvent = { type: undefined, data: bytes.toString(), start: 0, end: bytes.length };
    return { bytes, begins: true, terminal: whole };
  }
}

import type { SseEvent } from './sse.ts';
import { EventTooLarge, type ScanResult } from './sseScanner.ts';

const MAX_BYTES = 16 * 1_048_576;
const INCOMPLETE: ScanResult = { bytes: Buffer.alloc(0), begins: false, terminal: undefined };

/** Collects a response that is not a stream and returns it as one terminal event at its end. */
export class JsonScanner {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(maxBytes: number = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** @throws EventTooLarge */
  push(chunk: Buffer): ScanResult {
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) throw new EventTooLarge();
    this.#chunks.push(chunk);
    return INCOMPLETE;
  }

  /** Called at the end of the response. */
  end(): ScanResult {
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    if (bytes.length === 0) return INCOMPLETE;
    const event: SseEvent = { type: undefined, data: bytes.toString(), start: 0, end: bytes.length };
    return { bytes, begins: true, terminal: event };
  }
}

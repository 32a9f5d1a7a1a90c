import { eventsContaining } from './eventsContaining.ts';
import { findTerminalEvent } from './findTerminalEvent.ts';
import { endOfEvent, endOfLastEvent, parseEvent, type SseEvent } from './sse.ts';

/** The events that a chunk of the provider's stream completed. */
export interface ScanResult {
  /** Complete events, byte for byte; empty when none is complete. The scanner buffers an incomplete event. */
  readonly bytes: Buffer;
  /** The first event with data is among them; true once per stream. */
  readonly begins: boolean;
  /** The event that ends the response, or else an `error` event. */
  readonly terminal: SseEvent | undefined;
}

/** An event, or a response that is collected, exceeds the size limit. */
export class EventTooLarge extends Error {
  override readonly name = 'EventTooLarge';
}

const MAX_EVENT_BYTES = 16 * 1_048_576;
const NOTHING = Buffer.alloc(0);

const VENDOR_PREFIX = Buffer.from('codex.');
/** Its end, which is searched faster than the whole, because texts have few `x`. */
const VENDOR_HINT = Buffer.from('x.');
const NO_EVENTS: readonly SseEvent[] = [];
/** Matches the first event of most streams; others are parsed. */
const COMMON_FIRST_EVENT = /^(?:event:[^\r\n]*\n)?data: ?\{"type":"(?!codex\.)[^"\\]+"/;
const COMMON_FIRST_EVENT_BYTES = 150;

/**
 * Finds the events in a stream of arbitrary chunks. Each byte is read a bounded number of times, however large an event and
 * however small the chunks.
 */
export class SseScanner {
  readonly #dropsVendorEvents: boolean;
  readonly #maxEventBytes: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #hasBegun = false;

  /** @param options.dropsVendorEvents removes `codex.*` events (docs/clients.md#the-openai-sdk-throws-on-unknown-events) */
  constructor(options: { dropsVendorEvents: boolean; maxEventBytes?: number }) {
    this.#dropsVendorEvents = options.dropsVendorEvents;
    this.#maxEventBytes = options.maxEventBytes ?? MAX_EVENT_BYTES;
  }

  /** @throws EventTooLarge */
  push(chunk: Buffer): ScanResult {
    const end = this.#endOfLastEvent(chunk);
    if (end === 0) {
      this.#buffer(chunk);
      return { bytes: NOTHING, begins: false, terminal: undefined };
    }
    const head = end === chunk.length ? chunk : chunk.subarray(0, end);
    const bytes = this.#pending.length === 0 ? head : Buffer.concat([...this.#pending, head]);
    this.#pending = [];
    this.#pendingBytes = 0;
    if (end < chunk.length) this.#buffer(chunk.subarray(end));
    return this.#scan(bytes);
  }

  /** Called at the end of the stream: scans the remaining bytes as an event even without a blank line. */
  end(): ScanResult {
    const rest = Buffer.concat(this.#pending);
    this.#pending = [];
    if (rest.length === 0) return { bytes: NOTHING, begins: false, terminal: undefined };
    const scanned = this.#scan(rest);
    // Only a terminal event is completed: half an event would be invalid JSON for the client.
    return scanned.terminal
      ? { ...scanned, bytes: Buffer.concat([scanned.bytes, Buffer.from('\n\n')]) }
      : { ...scanned, bytes: NOTHING };
  }

  #buffer(bytes: Buffer): void {
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > this.#maxEventBytes) throw new EventTooLarge();
    this.#pending.push(bytes);
  }

  /** Offset in `chunk` after the last complete event, whose blank line may have begun in the chunk before. */
  #endOfLastEvent(chunk: Buffer): number {
    const end = endOfLastEvent(chunk);
    if (end > 0 || this.#pending.length === 0) return end;
    const before = this.#lastPendingBytes(2);
    const seam = Buffer.concat([before, chunk.subarray(0, 2)]);
    return Math.max(0, endOfLastEvent(seam) - before.length);
  }

  #lastPendingBytes(count: number): Buffer {
    const last = this.#pending.at(-1) ?? NOTHING;
    if (last.length >= count) return last.subarray(last.length - count);
    const joined = Buffer.concat(this.#pending.slice(-count));
    return joined.subarray(Math.max(0, joined.length - count));
  }

  #scan(bytes: Buffer): ScanResult {
    const vendorEvents = this.#dropsVendorEvents && bytes.includes(VENDOR_HINT) ? vendorEventsIn(bytes) : NO_EVENTS;
    const begins = !this.#hasBegun && this.#containsData(bytes);
    if (begins) this.#hasBegun = true;
    return {
      bytes: vendorEvents.length > 0 ? without(bytes, vendorEvents) : bytes,
      begins,
      terminal: findTerminalEvent(bytes),
    };
  }

  #containsData(bytes: Buffer): boolean {
    if (COMMON_FIRST_EVENT.test(bytes.toString('latin1', 0, COMMON_FIRST_EVENT_BYTES))) return true;
    for (let start = 0; start < bytes.length; ) {
      const found = endOfEvent(bytes, start);
      const event = parseEvent(bytes, start, found < 0 ? bytes.length : found);
      start = event.end;
      if (event.data !== '' && !(this.#dropsVendorEvents && isVendorEvent(event))) return true;
    }
    return false;
  }
}

const vendorEventsIn = (bytes: Buffer): SseEvent[] => eventsContaining(VENDOR_PREFIX, bytes).filter(isVendorEvent);

const isVendorEvent = ({ type }: SseEvent) => type?.startsWith('codex.') ?? false;

function without(bytes: Buffer, events: readonly SseEvent[]): Buffer {
  const kept: Buffer[] = [];
  let from = 0;
  for (const { start, end } of events) {
    kept.push(bytes.subarray(from, start));
    from = end;
  }
  kept.push(bytes.subarray(from));
  return Buffer.concat(kept);
}

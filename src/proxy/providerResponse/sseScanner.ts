import { eventsContaining } from './eventsContaining.ts';
import { findTerminalEvent } from './findTerminalEvent.ts';
import { endOfEvent, endOfLastEvent, parseEvent, type SseEvent } from './sse.ts';

/** What a chunk of the provider's stream completed. */
export interface ScanResult {
  /** Whole events, byte for byte; an event whose end has not come is kept back. Empty when none is complete. */
  readonly bytes: Buffer;
  /** The first event that says something is among them; told once per stream. */
  readonly begins: boolean;
  /** The event that ends the answer; or an `error` event, when nothing follows it that does. */
  readonly terminal: SseEvent | undefined;
}

/** One event grew beyond what we are willing to hold. */
export class EventTooLarge extends Error {
  override readonly name = 'EventTooLarge';
}

const MAX_EVENT_BYTES = 16 * 1_048_576;
const NOTHING = Buffer.alloc(0);

const VENDOR_HINT = Buffer.from('codex.');
/** So a stream begins, but for comments and what is told apart by parsing it. */
const USUAL_BEGINNING = /^(?:event:[^\r\n]*\n)?data: ?\{"type":"(?!codex\.)[^"\\]+"/;
const MAX_BEGINNING = 150;

/**
 * Finds the events in a stream that comes in arbitrary pieces. Each byte is looked at a bounded number of times, however
 * large an event grows and however small the pieces are.
 */
export class SseScanner {
  readonly #dropsVendorEvents: boolean;
  readonly #maxEventBytes: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #hasBegun = false;

  /** @param options.dropsVendorEvents leaves out `codex.*` events, which strict SDKs throw on (clients.md row 22) */
  constructor(options: { dropsVendorEvents: boolean; maxEventBytes?: number }) {
    this.#dropsVendorEvents = options.dropsVendorEvents;
    this.#maxEventBytes = options.maxEventBytes ?? MAX_EVENT_BYTES;
  }

  /** @throws EventTooLarge */
  push(chunk: Buffer): ScanResult {
    const end = this.#endWithin(chunk);
    if (end === 0) {
      this.#keep(chunk);
      return { bytes: NOTHING, begins: false, terminal: undefined };
    }
    const head = end === chunk.length ? chunk : chunk.subarray(0, end);
    const bytes = this.#pending.length === 0 ? head : Buffer.concat([...this.#pending, head]);
    this.#pending = [];
    this.#pendingBytes = 0;
    if (end < chunk.length) this.#keep(chunk.subarray(end));
    return this.#scan(bytes);
  }

  /** The stream has ended: what is left counts as an event even without its blank line. */
  end(): ScanResult {
    const rest = Buffer.concat(this.#pending);
    this.#pending = [];
    if (rest.length === 0) return { bytes: NOTHING, begins: false, terminal: undefined };
    const scanned = this.#scan(rest);
    // Only a whole answer is worth completing; half an event would break the reader's JSON.
    return scanned.terminal
      ? { ...scanned, bytes: Buffer.concat([scanned.bytes, Buffer.from('\n\n')]) }
      : { ...scanned, bytes: NOTHING };
  }

  #keep(bytes: Buffer): void {
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > this.#maxEventBytes) throw new EventTooLarge();
    this.#pending.push(bytes);
  }

  /** Offset in `chunk` behind the last event that is complete now; its blank line may have begun before the chunk. */
  #endWithin(chunk: Buffer): number {
    const end = endOfLastEvent(chunk);
    if (end > 0 || this.#pending.length === 0) return end;
    const before = this.#lastPendingBytes(2);
    const seam = Buffer.concat([before, chunk.subarray(0, 2)]);
    return Math.max(0, endOfLastEvent(seam) - before.length);
  }

  #lastPendingBytes(wanted: number): Buffer {
    const last = this.#pending.at(-1) ?? NOTHING;
    if (last.length >= wanted) return last.subarray(last.length - wanted);
    const beforeLast = this.#pending.slice(-wanted);
    const joined = Buffer.concat(beforeLast);
    return joined.subarray(Math.max(0, joined.length - wanted));
  }

  #scan(bytes: Buffer): ScanResult {
    const vendorEvents = this.#dropsVendorEvents ? eventsContaining(VENDOR_HINT, bytes).filter(isVendorEvent) : [];
    const begins = !this.#hasBegun && this.#hasFirst(bytes);
    if (begins) this.#hasBegun = true;
    return {
      bytes: vendorEvents.length > 0 ? without(bytes, vendorEvents) : bytes,
      begins,
      terminal: findTerminalEvent(bytes),
    };
  }

  #hasFirst(bytes: Buffer): boolean {
    if (USUAL_BEGINNING.test(bytes.toString('latin1', 0, MAX_BEGINNING))) return true;
    for (let start = 0; start < bytes.length; ) {
      const found = endOfEvent(bytes, start);
      const event = parseEvent(bytes, start, found < 0 ? bytes.length : found);
      start = event.end;
      if (event.data !== '' && !(this.#dropsVendorEvents && isVendorEvent(event))) return true;
    }
    return false;
  }
}

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

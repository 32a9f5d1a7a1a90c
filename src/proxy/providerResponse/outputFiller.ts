import { eventsContaining } from './eventsContaining.ts';
import { formatEvent, type SseEvent } from './sse.ts';
import type { ScanResult, SseScanner } from './sseScanner.ts';

/** The event with a complete item of the output. */
export const ITEM_DONE = 'response.output_item.done';
const ITEM_BYTES = Buffer.from(ITEM_DONE);
const TYPES_WITH_OUTPUT: ReadonlySet<string | undefined> = new Set(['response.completed', 'response.incomplete']);

/**
 * Fills the `output` of a terminal event. Some providers leave it empty although its items came before; SDKs read the
 * response from it (docs/clients.md#sdks-read-the-output-from-the-terminal-event), and the proxy remembers its items.
 */
export class OutputFiller {
  readonly #scanner: SseScanner;
  /** Payloads of the items, parsed only when the terminal event lacks them. */
  readonly #items: string[] = [];

  constructor(scanner: SseScanner) {
    this.#scanner = scanner;
  }

  /** @throws EventTooLarge */
  push(chunk: Buffer): ScanResult {
    return this.#fill(this.#scanner.push(chunk));
  }

  /** Called at the end of the stream. */
  end(): ScanResult {
    return this.#fill(this.#scanner.end());
  }

  #fill(scanned: ScanResult): ScanResult {
    const { bytes, terminal } = scanned;
    if (bytes.length === 0) return scanned;
    for (const { type, data } of eventsContaining(ITEM_BYTES, bytes)) if (type === ITEM_DONE) this.#items.push(data);
    if (!terminal || !TYPES_WITH_OUTPUT.has(terminal.type) || this.#items.length === 0) return scanned;
    const filled = fillOutput(terminal, this.#items);
    if (!filled) return scanned;
    return {
      ...scanned,
      bytes: replaceEvent(bytes, terminal, filled),
      terminal: { ...terminal, data: JSON.stringify(filled) },
    };
  }
}

interface Payload {
  readonly output_index?: number;
  readonly item?: unknown;
  readonly response?: { readonly output?: unknown };
}

/**
 * Fills the output of a terminal event.
 * @param items payloads of `ITEM_DONE`
 * @returns undefined when the event has an output or is invalid
 */
export function fillOutput({ data }: Pick<SseEvent, 'data'>, items: readonly string[]): Payload | undefined {
  try {
    const payload = JSON.parse(data) as Payload;
    const { output } = payload.response ?? {};
    if (Array.isArray(output) && output.length > 0) return undefined;
    return { ...payload, response: { ...payload.response, output: itemsInOrder(items) } };
  } catch {
    return undefined;
  }
}

function itemsInOrder(items: readonly string[]): unknown[] {
  return items
    .map((data) => JSON.parse(data) as Payload)
    .map(({ output_index: index, item }, position) => ({ at: index ?? position, item }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

function replaceEvent(bytes: Buffer, { type = '', data }: SseEvent, payload: Payload): Buffer {
  // Searched again, because removed vendor events have moved it.
  const event = eventsContaining(Buffer.from(type), bytes).find((found) => found.data === data);
  if (!event) return bytes;
  return Buffer.concat([bytes.subarray(0, event.start), formatEvent(type, payload), bytes.subarray(event.end)]);
}

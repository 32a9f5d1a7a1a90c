import { eventsContaining } from './eventsContaining.ts';
import { formatEvent, type SseEvent } from './sse.ts';
import type { ScanResult, SseScanner } from './sseScanner.ts';

const ITEM_DONE = 'response.output_item.done';
const ITEM_HINT = Buffer.from(ITEM_DONE);
const FILLED: ReadonlySet<string | undefined> = new Set(['response.completed', 'response.incomplete']);

/**
 * Some providers end an answer with an empty `output`, although its items came before. SDKs take the answer from there
 * (clients.md section 2), and items that a client refers to later are remembered from there: so it is filled.
 */
export class OutputFiller {
  readonly #scanner: SseScanner;
  /** As they came; they are parsed only when the ending lacks them. */
  readonly #items: string[] = [];

  constructor(scanner: SseScanner) {
    this.#scanner = scanner;
  }

  /** @throws EventTooLarge */
  push(chunk: Buffer): ScanResult {
    return this.#fill(this.#scanner.push(chunk));
  }

  end(): ScanResult {
    return this.#fill(this.#scanner.end());
  }

  #fill(scanned: ScanResult): ScanResult {
    const { bytes, terminal } = scanned;
    if (bytes.length === 0) return scanned;
    for (const { type, data } of eventsContaining(ITEM_HINT, bytes)) if (type === ITEM_DONE) this.#items.push(data);
    if (!terminal || !FILLED.has(terminal.type) || this.#items.length === 0) return scanned;
    const filled = filledEnding(terminal, this.#items);
    if (!filled) return scanned;
    return {
      ...scanned,
      bytes: replaced(bytes, terminal, filled),
      terminal: { ...terminal, data: JSON.stringify(filled) },
    };
  }
}

interface Payload {
  readonly output_index?: number;
  readonly item?: unknown;
  readonly response?: { readonly output?: unknown };
}

/** @returns undefined when nothing is missing, or nothing can be understood */
function filledEnding({ data }: SseEvent, items: readonly string[]): Payload | undefined {
  try {
    const payload = JSON.parse(data) as Payload;
    const { output } = payload.response ?? {};
    if (Array.isArray(output) && output.length > 0) return undefined;
    return { ...payload, response: { ...payload.response, output: inOrder(items) } };
  } catch {
    return undefined;
  }
}

function inOrder(items: readonly string[]): unknown[] {
  return items
    .map((data) => JSON.parse(data) as Payload)
    .map(({ output_index: index, item }, position) => ({ at: index ?? position, item }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

function replaced(bytes: Buffer, { type = '', data }: SseEvent, payload: Payload): Buffer {
  // Its place is looked up anew: what was dropped before it has moved it.
  const event = eventsContaining(Buffer.from(type), bytes).find((found) => found.data === data);
  if (!event) return bytes;
  return Buffer.concat([bytes.subarray(0, event.start), formatEvent(type, payload), bytes.subarray(event.end)]);
}

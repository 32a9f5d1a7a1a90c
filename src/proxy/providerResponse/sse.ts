/** One server-sent event: its content, and where its bytes are. */
export interface SseEvent {
  /** The payload's `type`, else the `event:` line; undefined without either. */
  readonly type: string | undefined;
  /** The joined `data:` lines; empty for comments. */
  readonly data: string;
  /** Offsets in the scanned buffer, the blank line included. */
  readonly start: number;
  readonly end: number;
}

/** Ends an event whose lines end with LF. */
export const BLANK_LINE: Buffer = Buffer.from('\n\n');
const BLANK_CRLF_LINE = Buffer.from('\n\r\n');
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

/**
 * End of the event that begins at `start`: the offset after its blank line, LF or CRLF.
 * @returns -1 when the blank line has not arrived yet
 */
export function endOfEvent(buffer: Buffer, start: number): number {
  for (let at = buffer.indexOf(LF, start); at >= 0; at = buffer.indexOf(LF, at + 1)) {
    if (buffer[at + 1] === LF) return at + 2;
    if (buffer[at + 1] === CR && buffer[at + 2] === LF) return at + 3;
  }
  return -1;
}

/** Offset after the last complete event of the buffer; 0 when there is none. */
export function endOfLastEvent(buffer: Buffer): number {
  const { length } = buffer;
  // Nearly every chunk ends with an event.
  if (buffer[length - 1] === LF && buffer[length - 2] === LF) return length;
  const plain = buffer.lastIndexOf(BLANK_LINE);
  // A failing backward search costs more than this check; JSON never contains a bare CR.
  const crlf = buffer.includes(CR) ? buffer.lastIndexOf(BLANK_CRLF_LINE) : -1;
  return Math.max(plain < 0 ? 0 : plain + 2, crlf < 0 ? 0 : crlf + 3);
}

/** Start of the last event of a buffer of complete events. */
export function startOfLastEvent(buffer: Buffer): number {
  // The longest blank line has three bytes; before it ends the event before the last.
  return endOfLastEvent(buffer.subarray(0, Math.max(0, buffer.length - 3)));
}

/** The events of a buffer of complete events. */
export function* eventsOf(buffer: Buffer): Generator<SseEvent> {
  let start = 0;
  while (start < buffer.length) {
    const found = endOfEvent(buffer, start);
    const end = found < 0 ? buffer.length : found;
    yield parseEvent(buffer, start, end);
    start = end;
  }
}

/** @param start @param end offsets in the buffer, the blank line included */
export const parseEvent = (buffer: Buffer, start: number, end: number): SseEvent =>
  readEvent(buffer.toString('utf8', start, end), start, end);

/** `parseEvent` from the event's text. */
export function readEvent(text: string, start: number, end: number): SseEvent {
  let name: string | undefined;
  let data: string | undefined;
  for (let at = 0; at < text.length; ) {
    const lf = text.indexOf('\n', at);
    const next = lf < 0 ? text.length : lf;
    const last = text.charCodeAt(next - 1) === CR ? next - 1 : next;
    if (text.startsWith('data:', at)) {
      const value = text.slice(text.charCodeAt(at + 5) === SPACE ? at + 6 : at + 5, last);
      data = data === undefined ? value : `${data}\n${value}`;
    } else if (text.startsWith('event:', at)) {
      name = text.slice(at + 6, last).trim();
    }
    at = next + 1;
  }
  return { type: typeOfPayload(data ?? '', name), data: data ?? '', start, end };
}

const LEADING_TYPE = /^\s*\{\s*"type"\s*:\s*"([^"\\]+)"/;

/**
 * Clients use the payload's `type`, so it has precedence over the `event:` line. Providers write it first, so most payloads
 * need not be parsed to find it.
 */
function typeOfPayload(data: string, name: string | undefined): string | undefined {
  const leading = LEADING_TYPE.exec(data);
  if (leading) return leading[1];
  if (name !== undefined) return name;
  if (!data.trimStart().startsWith('{')) return undefined;
  try {
    const { type } = JSON.parse(data) as { type?: unknown };
    return typeof type === 'string' ? type : undefined;
  } catch {
    return undefined;
  }
}

/** Formats an event with its `event:` line. */
export const formatEvent = (type: string, payload: object): Buffer =>
  Buffer.from(`event: ${type}\ndata: ${JSON.stringify(payload)}\n\n`);

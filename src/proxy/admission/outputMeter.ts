import { tokensOfText } from './estimate.ts';

const DELTA = Buffer.from('"delta":');
const TYPE = Buffer.from('.delta"');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
/** The type stands at the start of an event: `event: <type>` or `data: {"type":"<type>"`. */
const MAX_TYPE_BYTES = 200;

/**
 * Estimates the output tokens of an event stream from the text in it, event by event: more exact than its size
 * (`tokensOfStream`), because providers put one token into a delta or a hundred. Only deltas count: what follows at the end
 * of a part and of an item repeats them.
 */
export class OutputMeter {
  #deltas = 0;
  #textBytes = 0;

  /** A delta has at least one token. */
  get tokens(): number {
    return Math.max(this.#deltas, tokensOfText(this.#textBytes));
  }

  /** Adds the event at these offsets of the buffer. */
  add(buffer: Buffer, start: number, end: number): void {
    const type = buffer.indexOf(TYPE, start);
    if (type < 0 || type > start + MAX_TYPE_BYTES || type >= end) return;
    this.#deltas += 1;
    const key = buffer.indexOf(DELTA, type);
    if (key >= 0 && key < end) this.#textBytes += textBytesAt(buffer, key + DELTA.length, end);
  }
}

/** Length of the JSON string that begins at an offset, escapes included; 0 when there is another value. */
function textBytesAt(buffer: Buffer, offset: number, end: number): number {
  const start = buffer[offset] === SPACE ? offset + 1 : offset;
  if (buffer[start] !== QUOTE) return 0;
  for (let at = buffer.indexOf(QUOTE, start + 1); at >= 0 && at < end; at = buffer.indexOf(QUOTE, at + 1)) {
    if (!isEscaped(buffer, at)) return at - start - 1;
  }
  return 0;
}

function isEscaped(buffer: Buffer, at: number): boolean {
  let backslashes = 0;
  while (buffer[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}

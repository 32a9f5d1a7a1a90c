import { tokensOfText } from './estimate.ts';

const DELTA = Buffer.from('"delta":');
const TYPE = Buffer.from('.delta');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const CR = 0x0d;
const LF = 0x0a;
/**
 * The type stands at the start of an event, `event: <type>` or `data: {"type":"<type>"`, or where the fields are sorted at its
 * end, `"type":"<type>"}`.
 */
const MAX_START_BYTES = 200;
const MAX_END_BYTES = 16;

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
    if (!isDelta(buffer, start, end)) return;
    this.#deltas += 1;
    const key = buffer.indexOf(DELTA, start);
    if (key >= 0 && key < end) this.#textBytes += textBytesAt(buffer, key + DELTA.length, end);
  }
}

const isDelta = (buffer: Buffer, start: number, end: number): boolean =>
  endsTypeIn(buffer, start, Math.min(end, start + MAX_START_BYTES)) ||
  endsTypeIn(buffer, Math.max(start, end - MAX_END_BYTES), end);

/** Whether a type that is one of a delta ends between these offsets: with its string, or with the line `event:`. */
function endsTypeIn(buffer: Buffer, start: number, end: number): boolean {
  const at = buffer.subarray(start, end).indexOf(TYPE);
  if (at < 0) return false;
  const next = buffer[start + at + TYPE.length];
  return next === QUOTE || next === LF || next === CR;
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

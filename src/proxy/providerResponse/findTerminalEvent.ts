import { eventsContaining } from './eventsContaining.ts';
import { BLANK_LINE, readEvent, type SseEvent, startOfLastEvent } from './sse.ts';

const TERMINAL_TYPES = ['response.completed', 'response.failed', 'response.incomplete'];
const TERMINAL_BYTES = TERMINAL_TYPES.map((type) => Buffer.from(type));
/** Compares, because the types of events are new texts, which a set would hash. */
const isTerminal = ({ type }: SseEvent): boolean => type !== undefined && TERMINAL_TYPES.includes(type);
const ERROR_BYTES = Buffer.from('error');
/** Bytes without a match contain no terminal event. One pass with this takes a sixth of the time of one pass per word. */
const ANY_TERMINAL = /response\.(?:completed|failed|incomplete)|error/;
/** The bytes of a blank line and of the longest blank line after it. */
const MIN_BYTES = 5;

/** The event that ends the response, nearly always the last one; without one, the last `error` event. */
export function findTerminalEvent(bytes: Buffer): SseEvent | undefined {
  const plainStart = startOfLastPlainEvent(bytes);
  const plainText = bytes.toString('utf8', plainStart);
  const isPlain = !plainText.includes('\r');
  const start = isPlain ? plainStart : startOfLastEvent(bytes);
  const text = isPlain ? plainText : bytes.toString('utf8', start);
  if (ANY_TERMINAL.test(text)) {
    const last = readEvent(text, start, bytes.length);
    if (isTerminal(last)) return last;
  } else if (start === 0 || !ANY_TERMINAL.test(bytes.toString('latin1', 0, start))) {
    return undefined;
  }
  for (const name of TERMINAL_BYTES) {
    const ending = eventsContaining(name, bytes).find(isTerminal);
    if (ending) return ending;
  }
  return eventsContaining(ERROR_BYTES, bytes).findLast(({ type }) => type === 'error');
}

/** `startOfLastEvent` for lines that end with LF, at a third of its cost. */
function startOfLastPlainEvent(bytes: Buffer): number {
  if (bytes.length < MIN_BYTES) return 0;
  const blank = bytes.lastIndexOf(BLANK_LINE, bytes.length - MIN_BYTES);
  return blank < 0 ? 0 : blank + BLANK_LINE.length;
}

import { eventsContaining } from './eventsContaining.ts';
import { BLANK_LINE, readEvent, type SseEvent, startOfLastEvent } from './sse.ts';

const ENDINGS: ReadonlySet<string | undefined> = new Set([
  'response.completed',
  'response.failed',
  'response.incomplete',
]);
const ENDING_HINTS = [...ENDINGS].map((type) => Buffer.from(String(type)));
const ERROR_HINT = Buffer.from('error');
/** Bytes without one of these hold no event that could end the answer. One pass with it takes a sixth of one for each. */
const ANY_HINT = /response\.(?:completed|failed|incomplete)|error/;
/** A blank line, and behind it the longest one. */
const MIN_PAIR = 5;

/** The event that ends the answer, nearly always the last one; failing that, the last `error` event. */
export function findTerminalEvent(bytes: Buffer): SseEvent | undefined {
  const plainStart = startBehindPlainLine(bytes);
  const plainText = bytes.toString('utf8', plainStart);
  const isPlain = !plainText.includes('\r');
  const start = isPlain ? plainStart : startOfLastEvent(bytes);
  const text = isPlain ? plainText : bytes.toString('utf8', start);
  if (ANY_HINT.test(text)) {
    const last = readEvent(text, start, bytes.length);
    if (ENDINGS.has(last.type)) return last;
  } else if (start === 0 || !ANY_HINT.test(bytes.toString('latin1', 0, start))) {
    return undefined;
  }
  for (const hint of ENDING_HINTS) {
    const ending = eventsContaining(hint, bytes).find(({ type }) => ENDINGS.has(type));
    if (ending) return ending;
  }
  return eventsContaining(ERROR_HINT, bytes).findLast(({ type }) => type === 'error');
}

/** `startOfLastEvent` where no line ends with CRLF, at a third of what that costs. */
function startBehindPlainLine(bytes: Buffer): number {
  if (bytes.length < MIN_PAIR) return 0;
  const blank = bytes.lastIndexOf(BLANK_LINE, bytes.length - MIN_PAIR);
  return blank < 0 ? 0 : blank + BLANK_LINE.length;
}

import { endOfEvent, endOfLastEvent, parseEvent, type SseEvent } from './sse.ts';

/** The events that hold these bytes somewhere. Few do, so that only few events of a stream are ever parsed. */
export function eventsContaining(hint: Buffer, bytes: Buffer): SseEvent[] {
  const found: SseEvent[] = [];
  for (let at = bytes.indexOf(hint); at >= 0; ) {
    const start = endOfLastEvent(bytes.subarray(0, at));
    const end = endOfEvent(bytes, at);
    const event = parseEvent(bytes, start, end < 0 ? bytes.length : end);
    found.push(event);
    at = bytes.indexOf(hint, event.end);
  }
  return found;
}

import { endOfEvent, endOfLastEvent, parseEvent, type SseEvent } from './sse.ts';

/** Finds the events that contain these bytes. Faster than parsing all events. */
export function eventsContaining(needle: Buffer, bytes: Buffer): SseEvent[] {
  const found: SseEvent[] = [];
  for (let at = bytes.indexOf(needle); at >= 0; ) {
    const start = endOfLastEvent(bytes.subarray(0, at));
    const end = endOfEvent(bytes, at);
    const event = parseEvent(bytes, start, end < 0 ? bytes.length : end);
    found.push(event);
    at = bytes.indexOf(needle, event.end);
  }
  return found;
}

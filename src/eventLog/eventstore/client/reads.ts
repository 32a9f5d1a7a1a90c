import {
  type AllStreamRecordedEvent,
  BACKWARDS,
  END,
  type JSONEventType,
  type JSONRecordedEvent,
  type StreamingRead,
} from '@eventstore/db-client';
import type { EventStoreClient } from './client.ts';
import { CallTimedOut, isMissingStream } from './failures.ts';
import type { NativePosition } from './nativePosition.ts';

const READ_TIMEOUT_MS = 5_000;

/** Position of the last event in `$all`; undefined for an empty store. @throws CallTimedOut, and what the client throws */
export async function readHead(
  client: EventStoreClient,
  timeoutMs = READ_TIMEOUT_MS,
): Promise<NativePosition | undefined> {
  const [last] = await collect(client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }), timeoutMs);
  return last?.position;
}

/** Reads a few events of `$all`. @throws CallTimedOut, and what the client throws */
export const readAllOnce = (
  client: EventStoreClient,
  options: Parameters<EventStoreClient['readAll']>[0],
): Promise<AllStreamRecordedEvent[]> => collect(client.readAll(options));

/** Reads a few events of a stream; none if it does not exist. @throws CallTimedOut, and what the client throws */
export async function readStreamOnce(
  client: EventStoreClient,
  stream: string,
  options: Parameters<EventStoreClient['readStream']>[1],
): Promise<JSONRecordedEvent[]> {
  try {
    return await collect(client.readStream<JSONEventType>(stream, options));
  } catch (error) {
    if (isMissingStream(error)) return [];
    throw error;
  }
}

/** Collects the events of a read, with a timeout (docs/stores.md#eventstoredb-reads-ignore-deadlines). */
async function collect<Event>(
  reading: StreamingRead<{ readonly event?: Event }>,
  timeoutMs = READ_TIMEOUT_MS,
): Promise<Event[]> {
  // Must come first: an error without a listener ends the process.
  reading.on('error', () => {});
  const timer = setTimeout(() => reading.destroy(new CallTimedOut(timeoutMs)), timeoutMs);
  try {
    const events: Event[] = [];
    for await (const { event } of reading as AsyncIterable<{ readonly event?: Event }>) if (event) events.push(event);
    return events;
  } finally {
    clearTimeout(timer);
    // Not awaited, because the call may never have started.
    if (!reading.readableEnded) reading.cancel().catch(() => {});
  }
}

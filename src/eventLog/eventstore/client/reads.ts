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

const PATIENCE_MS = 5_000;

/** Where `$all` ends now; undefined for an empty store. */
export async function headOf(client: EventStoreClient): Promise<NativePosition | undefined> {
  const [last] = await readAllOnce(client, { direction: BACKWARDS, fromPosition: END, maxCount: 1 });
  return last?.position;
}

/** A few events of `$all`. @throws NoAnswer, and what the client throws */
export const readAllOnce = (
  client: EventStoreClient,
  options: Parameters<EventStoreClient['readAll']>[0],
): Promise<AllStreamRecordedEvent[]> => collected(client.readAll(options));

/** A few events of a stream; none when it does not exist. @throws NoAnswer, and what the client throws */
export async function readStreamOnce(
  client: EventStoreClient,
  stream: string,
  options: Parameters<EventStoreClient['readStream']>[1],
): Promise<JSONRecordedEvent[]> {
  try {
    return await collected(client.readStream<JSONEventType>(stream, options));
  } catch (error) {
    if (isMissingStream(error)) return [];
    throw error;
  }
}

/** Reads know no deadline (event-sourcing.md B1.0), so they get one here. */
async function collected<Event>(reading: StreamingRead<{ readonly event?: Event }>): Promise<Event[]> {
  // Before anything else: without a listener an error here ends the process.
  reading.on('error', () => {});
  const timer = setTimeout(() => reading.destroy(new CallTimedOut(PATIENCE_MS)), PATIENCE_MS);
  try {
    const events: Event[] = [];
    for await (const { event } of reading as AsyncIterable<{ readonly event?: Event }>) if (event) events.push(event);
    return events;
  } finally {
    clearTimeout(timer);
    // Not awaited: the call may never have come about.
    if (!reading.readableEnded) reading.cancel().catch(() => {});
  }
}

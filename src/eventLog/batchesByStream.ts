import type { StoredEvent } from './eventLog.ts';

/**
 * Groups events, without changing their order, into batches of consecutive events of one stream.
 * @param maxSize returns the maximum number of events in a batch; called for each event, since it may change
 */
export async function* batchesByStream(
  events: AsyncIterable<StoredEvent>,
  maxSize: () => number,
): AsyncGenerator<StoredEvent[]> {
  let batch: StoredEvent[] = [];
  for await (const event of events) {
    const last = batch.at(-1);
    if (last && (event.stream !== last.stream || event.revision !== last.revision + 1 || batch.length >= maxSize())) {
      yield batch;
      batch = [];
    }
    batch.push(event);
  }
  if (batch.length > 0) yield batch;
}

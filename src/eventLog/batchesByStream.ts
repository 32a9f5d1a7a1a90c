/** Limits of one batch. */
export interface BatchLimits {
  readonly events: number;
  /** Sum of the events' sizes. A larger event is a batch of its own. */
  readonly bytes: number;
}

interface PlacedEvent {
  readonly stream: string;
  readonly revision: number;
}

/**
 * Groups events, without changing their order, into batches of consecutive events of one stream.
 * @param limits called for each event, since they may change
 * @param sizeOf an event in bytes
 */
export async function* batchesByStream<Event extends PlacedEvent>(
  events: AsyncIterable<Event>,
  limits: () => BatchLimits,
  sizeOf: (event: Event) => number,
): AsyncGenerator<Event[]> {
  let batch: Event[] = [];
  let bytes = 0;
  for await (const event of events) {
    const last = batch.at(-1);
    const size = sizeOf(event);
    const limit = limits();
    const continues = last && event.stream === last.stream && event.revision === last.revision + 1;
    if (last && !(continues && batch.length < limit.events && bytes + size <= limit.bytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(event);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

import type { StoredEvent } from './eventLog.ts';

/** Cuts events, without changing their order, into runs of neighbours in one stream, each of at most `most()`. */
export async function* batchesByStream(
  events: AsyncIterable<StoredEvent>,
  most: () => number,
): AsyncGenerator<StoredEvent[]> {
  let run: StoredEvent[] = [];
  for await (const event of events) {
    const last = run.at(-1);
    if (last && (event.stream !== last.stream || event.revision !== last.revision + 1 || run.length >= most())) {
      yield run;
      run = [];
    }
    run.push(event);
  }
  if (run.length > 0) yield run;
}

import type { Position } from '../../domain/core/brands.ts';
import type { StoredEvent } from '../eventLog.ts';
import type { Reader } from './reader.ts';

/** Yields the events after position `after` up to and including `upTo`, read page by page. */
export async function* readAllEvents(reader: Reader, after: Position, upTo: Position): AsyncGenerator<StoredEvent> {
  let cursor = after;
  for (;;) {
    const page = reader.storedPage(cursor, upTo);
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    cursor = last.position;
  }
}

/** Yields the events of one stream from a revision on, up to and including position `upTo`, read page by page. */
export async function* readStreamEvents(
  reader: Reader,
  stream: string,
  fromRevision: number,
  upTo: Position,
): AsyncGenerator<StoredEvent> {
  let next = fromRevision;
  for (;;) {
    const page = reader.streamPage(stream, next, upTo);
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    next = last.revision + 1;
  }
}

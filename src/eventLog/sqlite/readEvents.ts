import type { Position } from '../../domain/core/brands.ts';
import type { StoredEvent } from '../eventLog.ts';
import type { Reader } from './reader.ts';

/** Pages from a file, to a position that must not move meanwhile. */
export async function* allEvents(reader: Reader, after: Position, upTo: Position): AsyncGenerator<StoredEvent> {
  let cursor = after;
  for (;;) {
    const page = reader.storedPage(cursor, upTo);
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    cursor = last.position;
  }
}

export async function* streamEvents(
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

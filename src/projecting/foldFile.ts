import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Position } from '../domain/brands.ts';
import { createReader, type Reader } from '../log/sqlite/reader.ts';
import type { Fold } from './fold.ts';
import type { FoldedEvent } from './foldedEvent.ts';
import { FOLDED_REQUEST_VERSION, FoldedRequests } from './foldedRequests.ts';

/** Reads what a fold needs from a file that has every event at its position. */
export function openForFold(path: string): Reader<FoldedEvent> {
  const requests = new FoldedRequests();
  return createReader(path, (type, version, json) =>
    type === 'RequestCompleted' && version === FOLDED_REQUEST_VERSION ? requests.read(json) : undefined,
  );
}

/**
 * Folds on up to a position, page by page: at each step the caller may let others have a turn.
 * @throws when an event cannot be read, or this build does not know it
 */
export function* foldOn(
  fold: Fold,
  reader: Reader<FoldedEvent>,
  upTo: Position,
  onFolded: () => void = () => {},
): Generator<undefined> {
  while (fold.state.position < upTo) {
    const { events, failure } = reader.page(fold.state.position, upTo);
    for (const event of events) {
      fold.state.apply(event);
      fold.checkpoints.onFolded(fold.state, event);
      onFolded();
    }
    if (failure) throw failure;
    if (events.length === 0) return;
    yield;
  }
}

/**
 * Folds on to the end of a file, as a start does: parsing only what the fold needs, the log itself is followed behind that.
 * @throws as `foldOn` does
 */
export async function foldFile(fold: Fold, path: string): Promise<void> {
  const reader = openForFold(path);
  try {
    for (const _page of foldOn(fold, reader, reader.head())) await nextTurn();
  } finally {
    reader.close();
  }
}

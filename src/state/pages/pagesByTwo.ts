import { type Position, position } from '../../domain/core/brands.ts';
import { PAGE_SIZE } from '../../eventLog/sqlite/eventRows.ts';
import type { Page } from '../../eventLog/sqlite/reader.ts';
import type { FoldedEvent } from '../fold/foldedEvent.ts';
import type { PageReader } from './pageReader.ts';
import type { PageThread } from './pageThread.ts';
import type { OpenPage } from './unpackPage.ts';

/** Positions that may have been read and not folded: more would outlive collections of garbage, and cost a tenth. */
const MAX_AHEAD = 6 * PAGE_SIZE;

/**
 * Pages of a log in their order. A thread reads them ahead; whenever the next one has not come yet, one behind those that the
 * thread was asked for is read here, so that neither waits for the other, whoever is the faster one.
 * @param thread reads the same file
 * @param upTo the file reaches so far already: pages are read in no order, and one that grew meanwhile would leave a gap
 * @returns undefined in place of a page after each step that gave none, so that others may have a turn
 */
export async function* pagesByTwo(
  reader: PageReader,
  thread: PageThread,
  after: Position,
  upTo: Position,
): AsyncGenerator<Page<FoldedEvent> | undefined> {
  const own = new Map<Position, OpenPage>();
  const endOf = (start: Position) => position(Math.min(start + PAGE_SIZE, upTo));
  const read = (start: Position) => own.set(start, reader.read(start, endOf(start)));
  let due = after;
  /** Nobody was asked for what stands behind this. */
  let unread = after;
  const mayReadOn = () => unread < upTo && unread < due + MAX_AHEAD;
  const takeUnread = () => {
    const start = unread;
    unread = endOf(start);
    return start;
  };
  while (due < upTo) {
    while (thread.hasCapacity && mayReadOn()) {
      const start = takeUnread();
      thread.request(start, endOf(start));
    }
    const page = thread.take(due) ?? own.get(due);
    if (page) {
      own.delete(due);
      due = endOf(due);
    } else if (thread.hasEnded) read(due);
    else if (mayReadOn()) read(takeUnread());
    else await thread.progress();
    yield page?.();
  }
}

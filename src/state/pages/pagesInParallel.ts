import { type Position, position } from '../../domain/core/brands.ts';
import { PAGE_SIZE } from '../../eventLog/sqlite/eventRows.ts';
import type { PageReader } from './pageReader.ts';
import type { PageThread } from './pageThread.ts';
import type { LazyPage, LinkedPage } from './unpackPage.ts';

/** Maximum number of positions read ahead of the fold. More would survive garbage collections and take 10 % longer. */
const MAX_AHEAD = 6 * PAGE_SIZE;

/**
 * Yields the pages of a log in order, read by two threads: `thread` reads ahead, and whenever the next page has not arrived,
 * this thread reads one beyond those requested. Neither thread waits for the other.
 * @param thread reads the same file
 * @param upTo a position that the file already contains: pages are read out of order, so a short one would leave a gap
 * @returns undefined in place of a page after a step that yielded none, so that the caller can yield to the event loop
 */
export async function* pagesInParallel(
  reader: PageReader,
  thread: PageThread,
  after: Position,
  upTo: Position,
): AsyncGenerator<LinkedPage | undefined> {
  const own = new Map<Position, LazyPage>();
  const endOf = (start: Position) => position(Math.min(start + PAGE_SIZE, upTo));
  const read = (start: Position) => own.set(start, reader.read(start, endOf(start)));
  let due = after;
  /** No thread has been asked to read beyond this position. */
  let unread = after;
  const canReadAhead = () => unread < upTo && unread < due + MAX_AHEAD;
  const takeUnread = () => {
    const start = unread;
    unread = endOf(start);
    return start;
  };
  while (due < upTo) {
    while (thread.hasCapacity && canReadAhead()) {
      const start = takeUnread();
      thread.request(start, endOf(start));
    }
    const page = thread.take(due) ?? own.get(due);
    if (page) {
      own.delete(due);
      due = endOf(due);
    } else if (thread.hasEnded) read(due);
    else if (canReadAhead()) read(takeUnread());
    else await thread.progress();
    yield page?.();
  }
}

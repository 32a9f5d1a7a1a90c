import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Position } from '../../domain/core/brands.ts';
import { archivePathOf } from '../../eventLog/archive/archiveFile.ts';
import { LogBroken } from '../../eventLog/continuity.ts';
import { type Fold, foldPage } from '../fold/fold.ts';
import { PageReader } from './pageReader.ts';
import { pagesInParallel } from './pagesInParallel.ts';
import { PageThread } from './pageThread.ts';
import type { LinkedPage, TextPool } from './unpackPage.ts';

/** With fewer events the fold ends before a second thread has started. */
const MIN_EVENTS_FOR_THREAD = 20_000;

/**
 * Continues a fold up to a position.
 * @throws when an event cannot be read, or its type is unknown to this build
 */
export function continueFold(fold: Fold, reader: PageReader, upTo: Position, onFolded?: () => void): void {
  for (const page of pagesOf(reader, fold.state.position, upTo)) foldPage(fold, page, onFolded);
}

/**
 * Continues a fold from the log's file at a start, parsing only what the fold needs; the runner then follows the log from
 * there. Yields to the event loop every few milliseconds.
 * @param upTo where the log ends for this node. A file that another thread writes may already be longer.
 * @param minEventsForThread number of events from which a second thread helps, if there is a core for it
 * @param archivePath where `archive.sqlite` is, if it is not beside the log
 * @throws LogBroken when an event does not continue the log before it, and as `continueFold` does
 */
export async function foldFile(
  fold: Fold,
  path: string,
  upTo: Position,
  minEventsForThread = MIN_EVENTS_FOR_THREAD,
  archivePath = archivePathOf(path),
): Promise<void> {
  const texts: TextPool = new Map();
  const reader = new PageReader(path, archivePath, texts);
  const after = fold.state.position;
  const usesThread = upTo - after >= minEventsForThread && availableParallelism() > 1;
  const thread = usesThread ? new PageThread(path, texts) : undefined;
  const continuity = reader.continuityAfter(after);
  try {
    for await (const page of thread ? pagesInParallel(reader, thread, after, upTo) : pagesOf(reader, after, upTo)) {
      if (page?.links) continuity.check(page.links);
      if (page) foldPage(fold, page);
      await nextTurn();
    }
    if (continuity.broken) throw new LogBroken(path, continuity.broken);
  } finally {
    await thread?.stop();
    reader.close();
  }
}

function* pagesOf(reader: PageReader, after: Position, upTo: Position): Generator<LinkedPage> {
  for (let due = after; due < upTo; ) {
    const page = reader.read(due, upTo)();
    yield page;
    const last = page.events.at(-1);
    if (!last) return;
    due = last.position;
  }
}

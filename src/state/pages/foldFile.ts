import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Position } from '../../domain/core/brands.ts';
import type { Page } from '../../eventLog/sqlite/reader.ts';
import { type Fold, foldPage } from '../fold/fold.ts';
import type { FoldedEvent } from '../fold/foldedEvent.ts';
import { PageReader } from './pageReader.ts';
import { pagesByTwo } from './pagesByTwo.ts';
import { PageThread } from './pageThread.ts';

/** For fewer events a thread would come too late. */
const WORTH_A_THREAD = 20_000;

/**
 * Folds on up to a position.
 * @throws when an event cannot be read, or this build does not know it
 */
export function foldOn(fold: Fold, reader: PageReader, upTo: Position, onFolded?: () => void): void {
  for (const page of pagesByOne(reader, fold.state.position, upTo)) foldPage(fold, page, onFolded);
}

/**
 * Folds on from a file, as a start does: parsing only what the fold needs, the log itself is followed behind that. Others
 * have a turn every few milliseconds.
 * @param upTo where the log ends for this node; a file that a thread writes may be further on, and nothing could follow there
 * @param worthAThread for so many events a thread helps, where there is a core for it @throws as `foldOn` does
 */
export async function foldFile(fold: Fold, path: string, upTo: Position, worthAThread = WORTH_A_THREAD): Promise<void> {
  const reader = new PageReader(path);
  const after = fold.state.position;
  const hasHelp = upTo - after >= worthAThread && availableParallelism() > 1;
  const thread = hasHelp ? new PageThread(path) : undefined;
  try {
    for await (const page of thread ? pagesByTwo(reader, thread, after, upTo) : pagesByOne(reader, after, upTo)) {
      if (page) foldPage(fold, page);
      await nextTurn();
    }
  } finally {
    await thread?.stop();
    reader.close();
  }
}

function* pagesByOne(reader: PageReader, after: Position, upTo: Position): Generator<Page<FoldedEvent>> {
  for (let due = after; due < upTo; ) {
    const page = reader.read(due, upTo)();
    yield page;
    const last = page.events.at(-1);
    if (!last) return;
    due = last.position;
  }
}

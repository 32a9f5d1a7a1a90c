import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { anyHistory } from '../../../test/support/histories.ts';
import { position } from '../../domain/core/brands.ts';
import { eventTypes } from '../../domain/eventTypes.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import { openForWriting } from '../../eventLog/sqlite/database.ts';
import { PAGE_SIZE } from '../../eventLog/sqlite/eventRows.ts';
import { prepareInsertEvents } from '../../eventLog/sqlite/insertEvents.ts';
import { createReader } from '../../eventLog/sqlite/reader.ts';
import { EventDamaged } from '../../eventLog/storedJson/invalidField.ts';
import { emptyFold, type Fold, foldPage } from '../fold/fold.ts';
import { canonicalText } from '../snapshots/canonicalText.ts';
import { dataOf } from '../snapshots/dataOf.support.ts';
import { continueFold, foldFile } from './foldFile.ts';
import { PageReader } from './pageReader.ts';
import { pagesInParallel } from './pagesInParallel.ts';
import { PageThread } from './pageThread.ts';

const EVENTS = 8 * PAGE_SIZE + 100;
const HEAD = position(EVENTS);

/** Writes a log with a random history. */
async function writeLog(): Promise<string> {
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const path = join(folder.path, 'log.sqlite');
  const database = openForWriting({ path });
  const [history = []] = fc.sample(anyHistory({ minLength: EVENTS, maxLength: EVENTS }), 1);
  const rows = history.map(({ stream, revision, type, time, data }) => {
    const version = eventTypes.get(type)?.version ?? 0;
    return [stream, revision, newEventId(), type, version, time, JSON.stringify(data), '{}'] as const;
  });
  database.exec('BEGIN');
  prepareInsertEvents(database)(rows);
  database.exec('COMMIT');
  database.close();
  return path;
}

/** A copy of the log in which nothing after a position can be read. */
function unreadableAfter(path: string, last: number): string {
  const copy = `${path}.copy`;
  const database = new DatabaseSync(path);
  database.prepare('VACUUM INTO ?').run(copy);
  database.close();
  const changed = new DatabaseSync(copy);
  changed.exec(`ALTER TABLE events RENAME TO whole; CREATE VIEW events AS SELECT position, stream, revision, type, version,
    time, metadata, iif(position <= ${last}, data, json('{')) AS data FROM whole`);
  changed.close();
  return copy;
}

function foldedInOrder(path: string, fold = emptyFold()): Fold {
  const reader = createReader(path);
  onTestFinished(reader.close);
  while (fold.state.position < HEAD) foldPage(fold, reader.page(fold.state.position, HEAD));
  return fold;
}

/** @param readByThread the file that the thread reads @returns the fold and the number of pages that the thread has read */
async function foldedInParallel(path: string, { readByThread = path, fold = emptyFold() } = {}) {
  const [reader, thread] = [new PageReader(path), new PageThread(readByThread, new Map())];
  onTestFinished(async () => {
    await thread.stop();
    reader.close();
  });
  await thread.progress();
  const take = vi.spyOn(thread, 'take');
  for await (const page of pagesInParallel(reader, thread, fold.state.position, HEAD)) if (page) foldPage(fold, page);
  return { fold, pagesOfThread: take.mock.results.filter(({ value }) => value !== undefined).length };
}

const contentOf = (fold: Fold) => canonicalText(dataOf(fold));

test('folds pages from two threads to the same state as one thread', async () => {
  const path = await writeLog();
  const { fold, pagesOfThread } = await foldedInParallel(path);
  expect(contentOf(fold)).toBe(contentOf(foldedInOrder(path)));
  expect(pagesOfThread).toBeGreaterThan(0);
});

test('continues from the position of a fold', async () => {
  const path = await writeLog();
  const fold = emptyFold();
  const reader = new PageReader(path);
  continueFold(fold, reader, position(777));
  reader.close();
  expect(fold.state.position).toBe(777);
  await foldedInParallel(path, { fold });
  expect(contentOf(fold)).toBe(contentOf(foldedInOrder(path)));
});

test('reads all pages itself when the thread cannot start', async () => {
  const path = await writeLog();
  const { fold, pagesOfThread } = await foldedInParallel(path, { readByThread: `${path}.nowhere` });
  expect(contentOf(fold)).toBe(contentOf(foldedInOrder(path)));
  expect(pagesOfThread).toBe(0);
});

test('reads the requested pages itself when the thread dies', async () => {
  const path = await writeLog();
  const { fold, pagesOfThread } = await foldedInParallel(path, { readByThread: unreadableAfter(path, 2 * PAGE_SIZE) });
  expect(contentOf(fold)).toBe(contentOf(foldedInOrder(path)));
  expect(pagesOfThread).toBe(2);
});

test('stops at a damaged event with the same error as one thread', async () => {
  const path = await writeLog();
  const database = new DatabaseSync(path);
  database.exec(`UPDATE events SET data = '{' WHERE position = ${3 * PAGE_SIZE + 7}`);
  database.close();
  const [plain, byTwo] = [emptyFold(), emptyFold()];
  expect(() => foldedInOrder(path, plain)).toThrow(EventDamaged);
  await expect(foldedInParallel(path, { fold: byTwo })).rejects.toThrow(EventDamaged);
  expect(byTwo.state.position).toBe(3 * PAGE_SIZE + 6);
  expect(contentOf(byTwo)).toBe(contentOf(plain));
});

test('a start folds a long log with two threads and a short one with one, to the same state', async () => {
  const path = await writeLog();
  const [plain, short, long] = [foldedInOrder(path), emptyFold(), emptyFold()];
  const { position: end } = plain.state;
  await foldFile(short, path, end);
  await foldFile(long, path, end, 1);
  expect(contentOf(short)).toBe(contentOf(plain));
  expect(contentOf(long)).toBe(contentOf(plain));
});

test('a start folds no further than upTo, even if the file is longer', async () => {
  const path = await writeLog();
  const fold = emptyFold();
  await foldFile(fold, path, position(777));
  expect(fold.state.position).toBe(777);
});

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
import { insertEvents } from '../../eventLog/sqlite/insertEvents.ts';
import { createReader, LogDamaged } from '../../eventLog/sqlite/reader.ts';
import { emptyFold, type Fold, foldPage } from '../fold/fold.ts';
import { canonicalText, dataOf } from '../snapshots/foldData.ts';
import { foldFile, foldOn } from './foldFile.ts';
import { PageReader } from './pageReader.ts';
import { pagesByTwo } from './pagesByTwo.ts';
import { PageThread } from './pageThread.ts';

const EVENTS = 8 * PAGE_SIZE + 100;
const HEAD = position(EVENTS);

/** A file with a history in it. */
async function aLog(): Promise<string> {
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
  insertEvents(database)(rows);
  database.exec('COMMIT');
  database.close();
  return path;
}

/** The same log, of which nothing can be read behind a position. */
function unreadableBehind(path: string, last: number): string {
  const copy = `${path}.copy`;
  const database = new DatabaseSync(path);
  database.prepare('VACUUM INTO ?').run(copy);
  database.close();
  const changed = new DatabaseSync(copy);
  changed.exec(`ALTER TABLE events RENAME TO whole; CREATE VIEW events AS SELECT position, stream, revision, type, version,
    time, iif(position <= ${last}, data, json('{')) AS data FROM whole`);
  changed.close();
  return copy;
}

function foldedPlainly(path: string, fold = emptyFold()): Fold {
  const reader = createReader(path);
  onTestFinished(reader.close);
  while (fold.state.position < HEAD) foldPage(fold, reader.page(fold.state.position, HEAD));
  return fold;
}

/** @param readByThread what the thread reads in place of the log @returns also how many pages were the thread's */
async function foldedByTwo(path: string, { readByThread = path, fold = emptyFold() } = {}) {
  const [reader, thread] = [new PageReader(path), new PageThread(readByThread)];
  onTestFinished(async () => {
    await thread.stop();
    reader.close();
  });
  await thread.progress();
  const take = vi.spyOn(thread, 'take');
  for await (const page of pagesByTwo(reader, thread, fold.state.position, HEAD)) if (page) foldPage(fold, page);
  return { fold, pagesOfThread: take.mock.results.filter(({ value }) => value !== undefined).length };
}

const contentOf = (fold: Fold) => canonicalText(dataOf(fold));

test('a fold of what two threads read is the plain fold of the log', async () => {
  const path = await aLog();
  const { fold, pagesOfThread } = await foldedByTwo(path);
  expect(contentOf(fold)).toBe(contentOf(foldedPlainly(path)));
  expect(pagesOfThread).toBeGreaterThan(0);
});

test('it goes on from where a fold stands', async () => {
  const path = await aLog();
  const fold = emptyFold();
  const reader = new PageReader(path);
  foldOn(fold, reader, position(777));
  reader.close();
  expect(fold.state.position).toBe(777);
  await foldedByTwo(path, { fold });
  expect(contentOf(fold)).toBe(contentOf(foldedPlainly(path)));
});

test('where the thread cannot begin, all is read without it', async () => {
  const path = await aLog();
  const { fold, pagesOfThread } = await foldedByTwo(path, { readByThread: `${path}.nowhere` });
  expect(contentOf(fold)).toBe(contentOf(foldedPlainly(path)));
  expect(pagesOfThread).toBe(0);
});

test('when the thread dies on its way, what it was asked for is read without it', async () => {
  const path = await aLog();
  const { fold, pagesOfThread } = await foldedByTwo(path, { readByThread: unreadableBehind(path, 2 * PAGE_SIZE) });
  expect(contentOf(fold)).toBe(contentOf(foldedPlainly(path)));
  expect(pagesOfThread).toBe(2);
});

test('it ends where a plain fold ends when an event is damaged, for the same reason', async () => {
  const path = await aLog();
  const database = new DatabaseSync(path);
  database.exec(`UPDATE events SET data = '{' WHERE position = ${3 * PAGE_SIZE + 7}`);
  database.close();
  const [plain, byTwo] = [emptyFold(), emptyFold()];
  expect(() => foldedPlainly(path, plain)).toThrow(LogDamaged);
  await expect(foldedByTwo(path, { fold: byTwo })).rejects.toThrow(LogDamaged);
  expect(byTwo.state.position).toBe(3 * PAGE_SIZE + 6);
  expect(contentOf(byTwo)).toBe(contentOf(plain));
});

test('a start folds a long log by two threads and a short one alone, to the same end', async () => {
  const path = await aLog();
  const [plain, short, long] = [foldedPlainly(path), emptyFold(), emptyFold()];
  const { position: end } = plain.state;
  await foldFile(short, path, end);
  await foldFile(long, path, end, 1);
  expect(contentOf(short)).toBe(contentOf(plain));
  expect(contentOf(long)).toBe(contentOf(plain));
});

test('a start folds no further than the log goes for its node, wherever the file ends that another thread writes', async () => {
  const path = await aLog();
  const fold = emptyFold();
  await foldFile(fold, path, position(777));
  expect(fold.state.position).toBe(777);
});

import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { archivableLog, rowsIn } from '../../../test/support/archives/archivableLog.ts';
import { restoreDay } from '../../archive/restoreDay.ts';
import { ArchivedEvents } from './archivedEvents.ts';
import { archivePathOf } from './archiveFile.ts';

const EVENTS = 240;

/** The ends of requests in a log: request id, position and API key. */
const endsIn = (logPath: string) =>
  rowsIn(logPath)
    .filter(({ type, stream }) => /^Request(?:Completed|Refused)$/.test(type) && stream.startsWith('requests-'))
    .map(({ position, data, metadata, stream }) => ({
      requestId: JSON.parse(metadata).correlationId as string,
      position,
      keyId: JSON.parse(data).keyId as string | null,
      day: stream.slice(-8).replace(/(....)(..)(..)/, '$1-$2-$3'),
    }));

function findAll(logPath: string, ends: ReturnType<typeof endsIn>) {
  const archived = ArchivedEvents.open(archivePathOf(logPath)) as ArchivedEvents;
  const found = ends.map(({ requestId }) => archived.findRequest(requestId));
  const others = ['', 'request', 'request 1 ', "' OR 1", '\u0000'].map((id) => archived.findRequest(id));
  archived.close();
  expect(others).toEqual(others.map(() => undefined));
  return found;
}

test('finds each archived request with its key and its file, and none whose day is back', async () => {
  const { logPath, archive, host, folder } = await archivableLog(EVENTS);
  const ends = endsIn(logPath);
  expect(new Set(ends.map(({ day }) => day)).size).toBeGreaterThan(5);
  await archive('2026-01-18');
  await archive();
  const found = findAll(logPath, ends);
  expect(found).toMatchObject(ends.map(({ position, keyId, day }) => ({ position, keyId, day })));
  expect(found.every((each) => each?.file.startsWith(`requests-${each.day}.`))).toBe(true);
  const [{ day }] = ends as [(typeof ends)[number]];
  await restoreDay({ host, folder, what: day });
  const left = findAll(logPath, ends);
  expect(left.map((each) => each?.day)).toEqual(ends.map((end) => (end.day === day ? undefined : end.day)));
  await archive();
  expect(findAll(logPath, ends)).toMatchObject(ends.map(({ position, keyId }) => ({ position, keyId })));
});

test('finds requests by their leaf entries in an archive that was not indexed, without their keys', async () => {
  const { logPath, archive } = await archivableLog(EVENTS);
  const ends = endsIn(logPath);
  await archive();
  const database = new DatabaseSync(archivePathOf(logPath));
  database.exec('DELETE FROM indexedSegments WHERE segment = 1; DELETE FROM requestIds WHERE segment = 1');
  const expected = ends.map(({ position }) => ({ position }));
  expect(findAll(logPath, ends)).toMatchObject(expected);
  database.exec('DROP TABLE indexedSegments; DROP TABLE requestIds; DROP TABLE owners');
  database.close();
  expect(findAll(logPath, ends)).toMatchObject(ends.map(({ position }) => ({ position, keyId: null })));
});

test('takes no other request for one whose hash begins alike', async () => {
  const { logPath, archive } = await archivableLog(60);
  const ends = endsIn(logPath);
  await archive();
  const database = new DatabaseSync(archivePathOf(logPath));
  // Each position under the number of every id.
  database.exec(
    'INSERT OR IGNORE INTO requestIds SELECT a.segment, a.id, b.position, NULL FROM requestIds a, requestIds b',
  );
  database.close();
  expect(findAll(logPath, ends)).toMatchObject(ends.map(({ position }) => ({ position })));
});

import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test, vi } from 'vitest';
import { archivableLog, rowsIn } from '../../../test/support/archives/archivableLog.ts';
import { archiveDays } from '../../archive/archiveDays.ts';
import { ClockJumped } from '../../domain/clock/events.ts';
import { instant, type Position, position } from '../../domain/core/brands.ts';
import { ArchivedEvents } from '../../eventLog/archive/archivedEvents.ts';
import { archivePathOf } from '../../eventLog/archive/archiveFile.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import { NO_STREAM } from '../../eventLog/eventLog.ts';
import { type PlacedRow, removeRows, restoreRows } from '../../eventLog/sqlite/archivedRows.ts';
import { ParsedPages } from '../pages/parsedPages.ts';
import { canonicalText } from '../snapshots/canonicalText.ts';
import { FilePast } from './filePast.ts';
import { MomentArchived, type MomentQuery } from './past.ts';

const HOUR_MS = 3_600_000;

afterEach(() => void vi.restoreAllMocks());

/** The archived days of a log: their files, all their positions, and the last one before the newest day, whose end is a known state. */
function archivedIn(logPath: string) {
  const archived = ArchivedEvents.open(archivePathOf(logPath));
  try {
    const segments = archived?.segments() ?? [];
    const ranges = segments.flatMap(({ number }) => [...(archived?.rangesOf(number) ?? [])]);
    const last = segments.at(-2)?.header.last as Position;
    return { files: segments.map(({ header }) => header.file.name), ranges, last };
  } finally {
    archived?.close();
  }
}

/** A log with archived days whose rows are removed once a page is read, as by a service that archives meanwhile. */
async function aLogAboutToLoseRows() {
  const { logPath, archive, host } = await archivableLog(90);
  const rows = rowsIn(logPath);
  await archive(new Date(host.now() - 60 * HOUR_MS).toISOString().slice(0, 10));
  const { ranges, ...archived } = archivedIn(logPath);
  const isIn = (at: number) => ranges.some(({ first, last }) => first <= at && at <= last);
  const write = (work: (database: DatabaseSync) => void) => {
    using database = new DatabaseSync(logPath, { timeout: 5_000 });
    work(database);
  };
  const ofDays = rows.filter((row) => isIn(row.position)).map((row) => Object.values(row) as unknown as PlacedRow);
  write((database) => restoreRows(database, ofDays));
  const { read } = ParsedPages.prototype;
  vi.spyOn(ParsedPages.prototype, 'read').mockImplementationOnce(function (this: ParsedPages, after, upTo) {
    write((database) => removeRows(database, ranges));
    return read.call(this, after, upTo);
  });
  return { past: new FilePast({ location: logPath }), ...archived };
}

async function withPast<Result>(location: string, work: (past: FilePast) => Promise<Result>): Promise<Result> {
  const past = new FilePast({ location });
  try {
    return await work(past);
  } finally {
    past.close();
  }
}

const refusal = async (work: Promise<unknown>) =>
  work.then(
    () => 'answered',
    (error: Error) => error,
  );

test('names the file of a day that was archived between the look at its rows and their reading', async () => {
  const { past, files, last } = await aLogAboutToLoseRows();
  expect(await refusal(past.at({ position: last }))).toMatchObject({
    name: 'MomentArchived',
    file: expect.toBeOneOf(files),
  });
  expect(past.broken).toBeUndefined();
  past.close();
});

test('names it for a step, also when only rows before its event were read', async () => {
  const { past, files, last } = await aLogAboutToLoseRows();
  const steps = past.walk([1 as Position, last]);
  expect((await steps.next()).value).toMatchObject({ event: { position: 1 } });
  expect(await refusal(steps.next())).toMatchObject({ name: 'MomentArchived', file: expect.toBeOneOf(files) });
  expect(past.broken).toBeUndefined();
  past.close();
});

test('shows the end of a log whose days were archived since it was opened', async () => {
  const { logPath: location, archive, host, appendRequest } = await archivableLog(90);
  await appendRequest(host.now());
  const before = new FilePast({ location });
  const during = new FilePast({ location });
  const { state } = await before.current(host.now());
  await archive();
  const shown = await during.current(instant(host.now()));
  expect(during.broken).toBeUndefined();
  // Of the archive itself the log has events since.
  const isSame = (name: 'apiKeys' | 'accounts' | 'settings') =>
    canonicalText(shown.state[name]) === canonicalText(state[name]);
  expect([isSame('apiKeys'), isSame('accounts'), isSame('settings')]).toEqual([true, true, true]);
  expect(await during.positionAt(host.now())).toBeGreaterThan(position(0));
  before.close();
  during.close();
});

test('finds an archived request for a time that a clock skipped behind it, and names its file', async () => {
  const { log, logPath: location, host, folder, appendRequest } = await archivableLog(20);
  const day = Math.ceil((host.now() - 24 * HOUR_MS) / (24 * HOUR_MS)) * 24 * HOUR_MS;
  const at = (hours: number) => instant(day + hours * HOUR_MS);
  const [from, to] = [at(1), at(5)];
  await appendRequest(from);
  const jump = { ...ClockJumped({ node: 'n1', from, to }), id: newEventId(), time: to, actor: host.actor };
  await log.append('nodes-n1', NO_STREAM, [{ ...jump, correlationId: 'jump' }]);
  await appendRequest(at(6));
  const skipped = at(3);
  const positionAt = () => withPast(location, (past) => past.positionAt(skipped));
  const before = await positionAt();
  expect(rowsIn(location).find(({ position }) => position === before)).toMatchObject({ time: from });
  await archiveDays({ host: { ...host, now: () => at(96) }, folder, until: '9999-12-31' });
  expect(rowsIn(location).some(({ position }) => position === before)).toBe(false);
  expect(await positionAt()).toBe(before);
  expect(await withPast(location, (past) => refusal(past.at({ time: skipped })))).toMatchObject({
    name: 'MomentArchived',
  });
});

test('shows each moment of a log with archived days as before, or names the file', async () => {
  const { logPath: location, archive } = await archivableLog(36);
  const moments = rowsIn(location).flatMap((row): MomentQuery[] => [
    { position: position(row.position) },
    { time: instant(row.time) },
  ]);
  const shown = (when: MomentQuery) =>
    withPast(location, async (past) => {
      const { state } = await past.at(when);
      return canonicalText([state.position, state.accounts, state.apiKeys, state.counters, state.coolDowns]);
    }).catch((error: unknown) => error);
  const positions = () =>
    withPast(location, (past) =>
      Array.fromAsync(moments, (when) => ('time' in when ? past.positionAt(when.time) : when.position)),
    );
  const before = await Promise.all(moments.map(shown));
  const positionsBefore = await positions();
  await archive();
  expect(await positions()).toEqual(positionsBefore);
  const after = await Promise.all(moments.map(shown));
  const archived = after.filter((each) => each instanceof MomentArchived).length;
  expect([archived > 0, archived < moments.length]).toEqual([true, true]);
  for (const [index, when] of moments.entries())
    if (!(after[index] instanceof MomentArchived)) expect(after[index], JSON.stringify(when)).toEqual(before[index]);
});

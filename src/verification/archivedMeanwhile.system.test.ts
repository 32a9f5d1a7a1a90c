import { expect, test } from 'vitest';
import { archivableLog, entriesOf, rowsIn } from '../../test/support/archives/archivableLog.ts';
import { restoreDay } from '../archive/restoreDay.ts';
import { untouchedFile } from '../dataFolder/untouchedFile.ts';
import { archivePathOf } from '../eventLog/archive/archiveFile.ts';
import { leafEntryOf } from '../integrity/leaf/leafEntry.ts';
import { openRangeReader } from './readRange.ts';

// More than a page of rows, so that a run comes between two pages.
const EVENTS = 330;

/** Reads a log as a verification does, and calls `meanwhile` once after its first event. @returns the leaf entries by position */
async function readWhile(logPath: string, archive: string, meanwhile: () => Promise<unknown>) {
  const reader = openRangeReader({ kind: 'sqlite', location: logPath, archive });
  const read: [number, string][] = [];
  const last = rowsIn(logPath).at(-1)?.position as number;
  for (const event of reader.withArchived({ from: 0, to: last })) {
    if (read.length === 0) await meanwhile();
    if (!Array.isArray(event)) read.push([event.position, event.text]);
    else {
      const [position, stream, revision, id, type, version, time, data, metadata] = event;
      read.push([position, leafEntryOf({ position, stream, revision, id, type, version, time, data, metadata })]);
    }
  }
  reader.close();
  return read;
}

test('reads every event once while days are archived for the first time, restored and archived again', {
  timeout: 60_000,
}, async () => {
  const stage = await archivableLog(EVENTS);
  const { logPath, path, folder, host, archive } = stage;
  const archivePath = archivePathOf(logPath);
  const before = rowsIn(logPath);
  const entries = [...entriesOf(before)];
  const untilLast = (read: readonly [number, string][]) => read.slice(0, entries.length);
  expect(untilLast(await readWhile(logPath, untouchedFile(archivePath, path).location, () => archive()))).toEqual(
    entries,
  );
  expect(rowsIn(logPath).length).toBeLessThan(before.length);
  const days = new Set(
    before.flatMap(({ stream }) => /^requests-.*_(\d{4})(\d\d)(\d\d)$/.exec(stream)?.slice(1).join('-') ?? []),
  );
  const restoreAll = async () => {
    for (const day of days) await restoreDay({ host, folder, what: day });
  };
  expect(untilLast(await readWhile(logPath, untouchedFile(archivePath, path).location, restoreAll))).toEqual(entries);
  expect(untilLast(await readWhile(logPath, archivePath, () => archive()))).toEqual(entries);
});

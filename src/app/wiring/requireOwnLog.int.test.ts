import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { MarkFile } from '../../dataFolder/markFile.ts';
import { instant } from '../../domain/core/brands.ts';
import { IpAllowed } from '../../domain/firewall/events.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import { NO_STREAM } from '../../eventLog/eventLog.ts';
import { createSqliteEventLog } from '../../eventLog/sqlite/sqliteEventLog.ts';
import { MARK_FILES } from './knownLog.ts';
import { FolderOfEventStore, requireOwnLog } from './requireOwnLog.ts';

/** A folder with logs of some events under some names. */
async function folderWith(logs: Readonly<Record<string, number>>, marks: Readonly<Record<string, number>> = {}) {
  const temp = await tempFolder();
  onTestFinished(() => temp[Symbol.asyncDispose]());
  const file = (name: string) => join(temp.path, name);
  for (const [name, count] of Object.entries(logs)) {
    const log = await createSqliteEventLog({ path: file(name), node: 'n1' });
    const events = Array.from({ length: count }, (_, index) => ({
      ...IpAllowed({ ip: `10.0.0.${index}` as never }),
      id: newEventId(),
      time: instant(0),
      actor: { kind: 'system', reason: 'test' } as const,
      correlationId: 'c',
    }));
    if (count > 0) expect(await log.append('firewall-main', NO_STREAM, events)).toMatchObject({ kind: 'committed' });
    await log.close();
  }
  for (const [name, position] of Object.entries(marks)) {
    const mark = new MarkFile(file(name));
    mark.note({ position, hash: null, time: 0 });
    await mark.close();
  }
  return { path: temp.path, file };
}

test.each([
  ['an outbox, as a backup has it', { 'outbox.sqlite': 2 }, {}],
  ['an outbox and an empty log', { 'outbox.sqlite': 2, 'log.sqlite': 0 }, {}],
  ['a mirror without a log', { 'outbox.sqlite': 0, 'mirror.sqlite': 3 }, { [MARK_FILES.mirror]: 3 }],
  ['a log from before its history was moved to EventStoreDB', { 'log.sqlite': 2 }, { [MARK_FILES.mirror]: 3 }],
])('refuses a folder that has %s', async (_what, logs, marks) => {
  const folder = await folderWith(logs, marks);
  expect(() => requireOwnLog(folder)).toThrow(FolderOfEventStore);
  expect(() => requireOwnLog(folder)).toThrow('Set SVC_EVENTSTORE_URL');
});

test.each([
  ['that is empty', {}, {}],
  ['with a log', { 'log.sqlite': 2 }, {}],
  ['into which a history was moved back', { 'log.sqlite': 3, 'outbox.sqlite': 1 }, { [MARK_FILES.mirror]: 3 }],
])('accepts a folder %s', async (_what, logs, marks) => {
  requireOwnLog(await folderWith(logs, marks));
});

test('leaves a log that lost events after it was moved back to the check for losses', async () => {
  const folder = await folderWith({ 'log.sqlite': 2 }, { [MARK_FILES.mirror]: 3, [MARK_FILES.log]: 4 });
  requireOwnLog(folder);
  rmSync(folder.file(MARK_FILES.log));
  expect(() => requireOwnLog(folder)).toThrow(FolderOfEventStore);
});

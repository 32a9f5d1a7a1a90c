import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { archivableLog } from '../../../test/support/archives/archivableLog.ts';
import { archivePathOf } from '../../eventLog/archive/archiveFile.ts';
import { replayLog } from '../../replay/replayLog.ts';
import { withUntouchedLog } from './untouchedLog.ts';

/** A file of SQLite that a process uses and has written to. */
function usedFile(path: string): DatabaseSync {
  const writer = new DatabaseSync(path);
  writer.exec(`PRAGMA user_version = ${writer.prepare('PRAGMA user_version').get()?.user_version}`);
  return writer;
}

const configOf = (path: string) => ({ SVC_DATA_DIR: path, SVC_EVENTSTORE_URL: undefined });

test('reads the archive also when a service closes it between the look at it and its reading', async () => {
  const { path, logPath, archive } = await archivableLog(40);
  await archive();
  const writer = usedFile(archivePathOf(logPath));
  const result = await withUntouchedLog(configOf(path), (files) => {
    writer.close();
    return replayLog(files);
  });
  expect(result).toEqual(await replayLog({ location: logPath }));
});

test('advises to run a command again when the service has ended between the look at the log and its reading', async () => {
  const { path, log } = await archivableLog(5);
  const read = withUntouchedLog(configOf(path), async (files) => {
    await log.close();
    return replayLog(files);
  });
  await expect(read).rejects.toMatchObject({ name: 'CannotReadLog', message: expect.stringContaining('Run it again') });
});

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { anEvent, someEvents } from '../../../test/contract/events.ts';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import { type MarkFileContent, readMarkFile } from '../../dataFolder/markFile.ts';
import { NO_STREAM } from '../eventLog.ts';
import { type LogEnd, readLogEnd } from './logEnd.ts';
import { createSqliteEventLog } from './sqliteEventLog.ts';

async function aStage() {
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const path = join(folder.path, 'log.sqlite');
  const mark = { path: join(folder.path, 'log.mark'), isPruned: false };
  return {
    path,
    open: async () => {
      const log = await createSqliteEventLog({ path, node: 'n1', mark });
      onTestFinished(() => log.close());
      return log;
    },
    content: (): MarkFileContent<LogEnd> => readMarkFile(mark.path),
    end: (): LogEnd => {
      using database = new DatabaseSync(path, { readOnly: true });
      return readLogEnd(database);
    },
  };
}

test('is exactly at the end of the log after each stop', async () => {
  const { open, content, end } = await aStage();
  for (const [expected, count] of [
    [NO_STREAM, 3],
    [2, 1],
    [3, 40],
  ] as const) {
    const log = await open();
    await log.append('firewall-main', expected, someEvents(count));
    await log.close();
    expect(content()).toEqual({ kind: 'mark', mark: end() });
  }
});

test('reaches the end of the log by itself while it is open', async () => {
  const { open, content, end } = await aStage();
  const log = await open();
  await log.append('firewall-main', NO_STREAM, someEvents(5));
  await vi.waitFor(() => expect(content()).toEqual({ kind: 'mark', mark: end() }), waitOptions);
});

test('does not advance for appends that were not written', async () => {
  const { open, content, end } = await aStage();
  const log = await open();
  const event = anEvent();
  await log.append('firewall-main', NO_STREAM, [event]);
  expect(await log.append('firewall-main', 5, [anEvent()])).toMatchObject({ kind: 'conflict' });
  expect(await log.append('firewall-other', NO_STREAM, [event])).toMatchObject({ kind: 'rejected' });
  await log.close();
  expect(end().position).toBe(1);
  expect(content()).toEqual({ kind: 'mark', mark: end() });
});

test('is written at the start of a log that had none', async () => {
  const { path, open, content, end } = await aStage();
  const log = await createSqliteEventLog({ path, node: 'n1' });
  await log.append('firewall-main', NO_STREAM, someEvents(2));
  await log.close();
  expect(content()).toEqual({ kind: 'missing' });
  await open();
  expect(content()).toEqual({ kind: 'mark', mark: end() });
});

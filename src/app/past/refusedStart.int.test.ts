import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { runReplay } from '../commands/replayCommand.ts';
import { runBlame } from './blameCommand.ts';
import { runDiff } from './diffCommand.ts';
import { aChangedFolder, filesIn, printed } from './pastFolder.support.ts';
import { runShow } from './showCommand.ts';
import { runStep } from './stepCommand.ts';

/** A folder whose service has stopped. */
async function aStoppedFolder() {
  const cleanups: (() => void | Promise<void>)[] = [];
  const folder = await aChangedFolder((cleanup) => void cleanups.unshift(cleanup));
  // The first cleanup, which runs last, removes the folder.
  const remove = cleanups.pop() as () => void;
  for (const cleanup of cleanups) await cleanup();
  return { ...folder, [Symbol.dispose]: remove };
}

const all = ({ config }: Awaited<ReturnType<typeof aStoppedFolder>>) =>
  Promise.all([
    printed((given, io) => runShow({ subject: 'settings', at: undefined, isJson: true }, given, io), config),
    printed((given, io) => runDiff({ subject: 'settings', from: '1', to: undefined, isJson: true }, given, io), config),
    printed((given, io) => runBlame({ subject: 'settings', at: undefined, isJson: true }, given, io), config),
    printed((given, io) => runStep({ from: '1', to: undefined, subject: undefined, isJson: true }, given, io), config),
  ]);

test('reads a stopped folder and leaves nothing behind in it', async () => {
  using folder = await aStoppedFolder();
  const before = filesIn(folder.folder);
  const [[shown = '']] = await all(folder);
  expect(JSON.parse(shown)).toMatchObject({ routing_strategy: 'round_robin' });
  expect(filesIn(folder.folder)).toEqual(before);
});

test('reads a log whose start is refused, and names what is missing', async () => {
  using folder = await aStoppedFolder();
  const path = `${folder.folder}/log.sqlite`;
  const log = new DatabaseSync(path);
  log.exec('DELETE FROM events WHERE position = 4');
  log.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  log.close();
  const before = filesIn(folder.folder);
  const [[shown = ''], , , steps] = await all(folder);
  expect(JSON.parse(shown)).toMatchObject({ routing_strategy: 'round_robin' });
  expect(steps.map((line) => JSON.parse(line).position)).not.toContain(4);
  const notes: string[] = [];
  const io = { print: () => undefined, printError: (line: string) => void notes.push(line) };
  await runShow({ subject: 'settings', at: undefined, isJson: true }, folder.config, io);
  await runStep({ from: '1', to: undefined, subject: undefined, isJson: true }, folder.config, io);
  const replay = { since: undefined, until: undefined, output: 'json', whatIf: undefined } as const;
  expect(await runReplay(replay, folder.config, io)).toBe(0);
  const missing = expect.stringMatching(
    /^Events are missing: the log is broken at position 5: .* follows position 3\./,
  );
  expect(notes).toEqual([missing, missing, missing, expect.stringMatching(/^0 requests in /)]);
  expect(filesIn(folder.folder)).toEqual(before);
});

test('refuses a folder without a log', async () => {
  using folder = await aStoppedFolder();
  const config = { ...folder.config, SVC_DATA_DIR: `${folder.folder}/nowhere` };
  await expect(
    printed((given, io) => runShow({ subject: 'settings', at: undefined, isJson: true }, given, io), config),
  ).rejects.toThrow('set SVC_DATA_DIR to the data folder');
});

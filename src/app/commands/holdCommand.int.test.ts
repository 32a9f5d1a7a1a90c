import { expect, onTestFinished, test } from 'vitest';
import { startManagement, temporaryFolder } from '../../../test/support/management.ts';
import { openDataFolder } from '../../dataFolder/dataFolder.ts';
import type { Sealed } from '../../domain/core/brands.ts';
import { importAccount } from '../../management/resources/accountCalls.support.ts';
import { openSqliteVault } from '../../vault/sqliteVault.ts';
import { CannotUnseal } from '../../vault/vault.ts';
import { ArgumentsRefused } from '../commandLine/argumentsRefused.ts';
import { readConfig } from '../config/config.ts';
import { CannotHold, parseHoldArguments, runHold } from './holdCommand.ts';

/** A stopped data folder with one account that was deleted under a hold. */
async function aStoppedFolder() {
  const folder = temporaryFolder();
  const cleanups: (() => void | Promise<void>)[] = [];
  const stage = await startManagement({}, (cleanup) => void cleanups.unshift(cleanup), folder);
  const { account_id: accountId } = await importAccount(stage);
  const email = stage.hot.state.accounts.get(accountId)?.email as Sealed;
  const { body: hold } = await stage.call('POST', '/api/holds', { body: { reason: 'case 7' } });
  await stage.call('DELETE', `/api/accounts/${accountId}`);
  for (const cleanup of cleanups) await cleanup();

  const config = readConfig({ SVC_DATA_DIR: folder });
  const svc = async (...args: string[]): Promise<string[]> => {
    const lines: string[] = [];
    const action = parseHoldArguments(args);
    if (!action) throw new Error('usage');
    await runHold(action, config, { print: (line) => lines.push(line) });
    return lines;
  };
  return { folder, svc, accountId, email, holdId: hold.id as string };
}

test('lists, places and lifts holds in a stopped folder, and destroys what no other one keeps', async () => {
  const { folder, svc, accountId, email, holdId } = await aStoppedFolder();
  expect(await svc('list')).toEqual([
    expect.stringMatching(new RegExp(`^${holdId}  since 2026-01-15.*, on everything: case 7$`)),
    `Account ${accountId} is deleted; its data key is held.`,
  ]);
  const [placed = ''] = await svc(
    'place',
    '--reason',
    'case 8',
    '--subject',
    `account-${accountId}`,
    '--from',
    '2026-02-01',
  );
  expect(placed).toMatch(/^Legal hold \S+ is placed on subject account-\S+ from 2026-02-01T00:00:00.000Z\.$/);
  expect(await svc('lift', holdId, '--reason', 'case 7 is closed')).toEqual([
    `Legal hold ${holdId} is lifted.`,
    `The data key of deleted account ${accountId} is destroyed.`,
  ]);
  expect(await svc('list')).toEqual([expect.stringContaining(': case 8')]);
  const vault = openSqliteVault({ folder });
  onTestFinished(() => vault.close());
  expect(() => vault.open(email)).toThrow(CannotUnseal);
});

test('says what is wrong with a hold, and changes nothing', async () => {
  const { svc, holdId } = await aStoppedFolder();
  await expect(svc('place', '--reason', '')).rejects.toThrow(/^reason must not be empty/);
  await expect(svc('place', '--reason', 'r', '--subject', 'session-1')).rejects.toThrow(/^subject must be apiKey-/);
  await expect(svc('place', '--reason', 'r', '--from', 'now')).rejects.toThrow(/^--from must be a day/);
  await expect(svc('lift', 'unknown', '--reason', 'r')).rejects.toThrow(/^There is no hold unknown/);
  expect((await svc('list'))[0]).toContain(holdId);
});

test('beside a running service it names the API', async () => {
  const { folder, svc } = await aStoppedFolder();
  const running = openDataFolder(folder);
  onTestFinished(() => running.close());
  await expect(svc('list')).rejects.toThrow(CannotHold);
  await expect(svc('list')).rejects.toThrow(/in use by a running service.*\/api\/holds/);
});

test.each([
  [[], 'hold takes list, place or lift.'],
  [['list', 'all'], 'all is one argument too many.'],
  [['place'], '--reason is missing.'],
  [['place', 'everything', '--reason', 'r'], 'everything is one argument too many.'],
  [['lift', '--reason', 'r'], 'HOLD is missing.'],
  [['lift', 'id'], '--reason is missing.'],
  [['lift', 'id', 'id', '--reason', 'r'], 'id is one argument too many.'],
  [['lift', 'id', '--reason', 'r', '--from', '2026-01-01'], 'There is no option --from.'],
  [['destroy'], 'hold takes list, place or lift, not destroy.'],
])('refuses the arguments %j', (args, message) => {
  expect(() => parseHoldArguments(args)).toThrow(new ArgumentsRefused(message));
});

test('holds the whole of the last day', () => {
  const hold = parseHoldArguments(['place', '--reason', 'r', '--from', '2026-01-01', '--until', '2026-01-31']);
  const [from, until] = [Date.parse('2026-01-01T00:00:00Z'), Date.parse('2026-01-31T23:59:59.999Z')];
  expect(hold).toMatchObject({ type: 'PlaceHold', from, until });
});

import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { AppendFate } from '../../../test/support/eventstore/appendCalls.ts';
import { aStage, type EventStoreStage } from '../../../test/support/eventstore/stage.ts';
import { statuses } from '../../../test/support/eventstore/statuses.ts';
import { openSharedVault } from '../../vault/sharedVault.ts';

// Keys of the vault on a server that fails: one that was made is there, one that was destroyed is gone.

const masterKey = randomBytes(32).toString('base64');

async function aVaultOn({ open, mirrorPath }: EventStoreStage, node = 'n1') {
  const reported: unknown[] = [];
  const { keys } = await open({ path: `${mirrorPath}.${node}`, node });
  const vault = await openSharedVault({ streams: keys, masterKey, report: (what) => reported.push(what) });
  onTestFinished(() => vault.close());
  return { vault, reported };
}

const lost: readonly [string, AppendFate][] = [
  ['timed out although it was written', { isWritten: true, end: statuses.timeout }],
  ['was cut off before it was written', { isWritten: false, end: statuses.unavailable }],
  ['ended with OK before the answer', { isWritten: true, end: statuses.ok }],
];

test.each(lost)('a key whose write %s is there once, for every node', async (_, fate) => {
  const stage = await aStage();
  const [one, other] = [await aVaultOn(stage), await aVaultOn(stage, 'n2')];
  stage.server.nextAppends(fate);
  const id = await one.vault.createKey('account_1');
  const sealed = one.vault.seal(id, 'the token');
  expect(stage.database.visible(`vault-account_1_${id}`)).toHaveLength(1);
  await vi.waitUntil(() => opens(other.vault, sealed), { timeout: 10_000, interval: 10 });
  expect(other.vault.open(sealed)).toBe('the token');
});

test('a key that cannot be written is refused with a code, and nothing is sealed under it', async () => {
  const stage = await aStage();
  const { vault } = await aVaultOn(stage);
  stage.server.allAppends({ isWritten: false, end: statuses.unavailable });
  await expect(vault.createKey('account_1')).rejects.toMatchObject({ code: 'log_unavailable' });
  stage.server.allAppends();
  await expect(vault.createKey('account_1')).resolves.toEqual(expect.any(String));
});

test('what cannot be destroyed at once is unreadable here at once, told, and destroyed when the server is back', async () => {
  const stage = await aStage();
  const [one, other] = [await aVaultOn(stage), await aVaultOn(stage, 'n2')];
  const id = await one.vault.createKey('account_1');
  const sealed = one.vault.seal(id, 'the token');
  await vi.waitUntil(() => opens(other.vault, sealed), { timeout: 10_000, interval: 10 });
  stage.server.allAppends({ isWritten: false, end: statuses.unavailable });
  await expect(one.vault.destroy('account_1')).rejects.toMatchObject({ code: 'log_unavailable' });
  expect(opens(one.vault, sealed)).toBe(false);
  expect(one.reported).toEqual([expect.objectContaining({ message: expect.stringContaining('it is tried again') })]);
  stage.server.allAppends();
  await vi.waitUntil(() => stage.database.isTombstoned(`vault-account_1_${id}`), { timeout: 15_000, interval: 50 });
  await vi.waitUntil(() => !opens(other.vault, sealed), { timeout: 10_000, interval: 10 });
});

function opens(
  vault: Awaited<ReturnType<typeof aVaultOn>>['vault'],
  sealed: Parameters<typeof vault.open>[0],
): boolean {
  try {
    vault.open(sealed);
    return true;
  } catch {
    return false;
  }
}

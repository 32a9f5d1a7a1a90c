import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { AppendFault } from '../../../test/support/eventstore/appendCalls.ts';
import { aStage, type EventStoreStage } from '../../../test/support/eventstore/stage.ts';
import { statuses } from '../../../test/support/eventstore/statuses.ts';
import { openSharedVault } from '../../vault/sharedVault.ts';

// Vault keys on a failing server: a key that was created exists once, a key that was destroyed is gone.

const masterKey = randomBytes(32).toString('base64');

async function aVaultOn({ open, mirrorPath }: EventStoreStage, node = 'n1') {
  const reported: unknown[] = [];
  const { keys } = await open({ path: `${mirrorPath}.${node}`, node });
  const vault = await openSharedVault({ streams: keys, masterKey, report: (what) => reported.push(what) });
  onTestFinished(() => vault.close());
  return { vault, reported };
}

const faults: readonly [string, AppendFault][] = [
  ['timed out although it was written', { isWritten: true, end: statuses.timeout }],
  ['was cut off before it was written', { isWritten: false, end: statuses.unavailable }],
  ['ended with OK before the response', { isWritten: true, end: statuses.ok }],
];

test.each(faults)('creates a key once for every node although its write %s', async (_, fault) => {
  const stage = await aStage();
  const [one, other] = [await aVaultOn(stage), await aVaultOn(stage, 'n2')];
  stage.server.nextAppends(fault);
  const id = await one.vault.createKey('account_1');
  const sealed = one.vault.seal(id, 'the token');
  expect(stage.database.visible(`vault-account_1_${id}`)).toHaveLength(1);
  await vi.waitUntil(() => opens(other.vault, sealed), { timeout: 10_000, interval: 10 });
  expect(other.vault.open(sealed)).toBe('the token');
});

test('fails with a code when a key cannot be written', async () => {
  const stage = await aStage();
  const { vault } = await aVaultOn(stage);
  stage.server.allAppends({ isWritten: false, end: statuses.unavailable });
  await expect(vault.createKey('account_1')).rejects.toMatchObject({ code: 'log_unavailable' });
  stage.server.allAppends();
  await expect(vault.createKey('account_1')).resolves.toEqual(expect.any(String));
});

test('drops a key at once and destroys it later when the server is unreachable', async () => {
  const stage = await aStage();
  const [one, other] = [await aVaultOn(stage), await aVaultOn(stage, 'n2')];
  const id = await one.vault.createKey('account_1');
  const sealed = one.vault.seal(id, 'the token');
  await vi.waitUntil(() => opens(other.vault, sealed), { timeout: 10_000, interval: 10 });
  stage.server.allAppends({ isWritten: false, end: statuses.unavailable });
  await expect(one.vault.destroy('account_1')).rejects.toMatchObject({ code: 'log_unavailable' });
  expect(opens(one.vault, sealed)).toBe(false);
  expect(one.reported).toEqual([expect.objectContaining({ message: expect.stringContaining('Retrying every 5 s') })]);
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

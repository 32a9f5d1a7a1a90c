import { expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../../../test/contract/tempFolder.ts';
import type { AccountId, Sealed } from '../../domain/core/brands.ts';
import { Faults } from '../../lib/faults.ts';
import { HotState } from '../../state/fold/hotState.ts';
import { openSqliteVault } from '../../vault/sqliteVault.ts';
import { reportLostKeys } from './lostKeys.ts';

/** A state with one account whose key the vault has, one whose key it lacks, and tokens of a deleted one. */
async function aState() {
  const folder = await tempFolder();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const vault = openSqliteVault({ folder: folder.path });
  onTestFinished(() => vault.close());
  const state = new HotState();
  const add = (id: string, refresh: Sealed, exists = true) => {
    state.tokens.set(id as AccountId, { tokens: { refresh } as never, claim: undefined });
    if (exists) state.accounts.set(id as AccountId, {} as never);
  };
  add('acct_kept', vault.seal(await vault.createKey('acct_kept'), 'refresh'));
  const lost = vault.seal(await vault.createKey('acct_lost'), 'refresh');
  await vault.destroy('acct_lost');
  add('acct_lost', lost);
  add('acct_deleted', lost, false);
  add('acct_odd', 'not sealed' as Sealed);
  const lines: string[] = [];
  const faults = new Faults({ print: (line) => lines.push(line), now: () => 0 });
  return { hot: { state }, vault, faults, lines };
}

test('refuses to start over an embedded vault that lacks the key of an account', async () => {
  const { hot, vault, faults } = await aState();
  const report = () => reportLostKeys({ hot, store: { name: 'embedded', vault }, faults, path: '/d/vault.sqlite' });
  expect(report).toThrow(/^\/d\/vault\.sqlite lacks the keys of 1 of 4 accounts \(acct_lost\): /);
  expect(report).toThrow('run "svc accept-loss --vault"');
});

test('over EventStoreDB a missing key is a fault, because another node may just have destroyed it', async () => {
  const { hot, vault, faults, lines } = await aState();
  reportLostKeys({ hot, store: { name: 'eventstore', vault }, faults, path: '' });
  expect(faults.current).toMatchObject([
    { code: 'vault_keys_missing', cause: expect.stringContaining('lacks the keys of 1 of 4 accounts (acct_lost)') },
  ]);
  expect(lines).toHaveLength(1);
});

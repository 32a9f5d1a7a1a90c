import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Sealed } from '../../src/domain/core/brands.ts';
import { openSqliteVault } from '../../src/vault/sqliteVault.ts';
import { CannotUnseal } from '../../src/vault/vault.ts';
import { tempDir } from '../e2e/support/tempDir.ts';
import { startProvider } from '../support/provider/provider.ts';
import { createRandom } from '../support/random.ts';
import { runs } from '../support/runs.ts';
import { managementApi } from './support/managementApi.ts';
import { serve } from './support/serve.ts';

const KILLS = runs(6).numRuns ?? 6;

/** The data of the first event of a type. */
function dataOf(folder: string, type: string): Record<string, unknown> | undefined {
  using log = new DatabaseSync(join(folder, 'log.sqlite'), { readOnly: true });
  const row = log.prepare('SELECT data FROM events WHERE type = ? ORDER BY position').get(type);
  return row && JSON.parse(String(row.data));
}

/** Whether the data key of a sealed value exists. No process may have the vault open. */
function isKept(folder: string, sealed: Sealed): boolean {
  const vault = openSqliteVault({ folder });
  try {
    return vault.open(sealed).length > 0;
  } catch (error) {
    if (error instanceof CannotUnseal) return false;
    throw error;
  } finally {
    vault.close();
  }
}

test('a kill while a hold is lifted keeps the key or has it destroyed at the next start', {
  timeout: 60_000 + KILLS * 40_000,
}, async () => {
  const root = await tempDir('killed-hold');
  onTestFinished(() => root[Symbol.asyncDispose]());
  const provider = await startProvider({ maxReceived: 10 });
  onTestFinished(() => provider.close());
  const start = async (folder: string) => {
    const service = serve({ folder, provider });
    onTestFinished(() => service[Symbol.asyncDispose]());
    return { service, url: await service.listening() };
  };
  const base = join(root.path, 'base');
  const { service, url } = await start(base);
  const api = managementApi(url);
  const accountId = await api.importAccount(provider.addAccount());
  const { id: holdId } = await api.call('POST', '/api/holds', { reason: 'case 7' });
  expect(await api.call('DELETE', `/api/accounts/${accountId}`)).toMatchObject({ held_by: [holdId] });
  await service.stop();
  const email = dataOf(base, 'AccountImported')?.email as Sealed;
  expect(isKept(base, email)).toBe(true);

  const random = createRandom(Date.now());
  const seen = new Set<boolean>();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const folder = join(root.path, `kill-${kill}`);
    cpSync(base, folder, { recursive: true });
    const killed = await start(folder);
    const lifting = fetch(`${killed.url}/api/holds/${holdId}`, {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'case 7 is closed' }),
    }).catch(() => undefined);
    // The first ones as soon as the event is in the log: the key is destroyed after that.
    if (kill % 2 === 0) while (!dataOf(folder, 'HoldLifted')) await wait(1);
    else await wait(random.between(0, 15));
    await killed.service.kill();
    await lifting;
    const isLifted = dataOf(folder, 'HoldLifted') !== undefined;
    seen.add(isLifted);
    const again = await start(folder);
    expect((await managementApi(again.url).call('GET', '/api/holds')).retained_accounts).toEqual(
      isLifted ? [] : [accountId],
    );
    await again.service.stop();
    expect(isKept(folder, email)).toBe(!isLifted);
  }
  expect(seen.has(true)).toBe(true);
});

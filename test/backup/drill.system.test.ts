import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { managementApi } from '../durability/support/managementApi.ts';
import { serve } from '../durability/support/serve.ts';
import { tempDir } from '../e2e/support/tempDir.ts';
import { mustRun, runSvc } from './support/runSvc.ts';
import { eventsIn, filesIn, loadedService, positionIn } from './support/stage.ts';

// The drill of docs/operation.md#backup-and-restore: a backup under load, restored elsewhere, verified, and used.

vi.setConfig({ testTimeout: 300_000 });

/** Requests that are answered before a backup begins and while it runs. */
const SOME = 40;
const soon = { timeout: 60_000, interval: 20 };

test('a backup under load and its increment restore everything up to the position that they name', async () => {
  await using elsewhere = await tempDir('elsewhere');
  const at = (name: string) => join(elsewhere.path, name);
  const { folder, provider, service, api, ask, load } = await loadedService();
  const load1 = load();
  await vi.waitUntil(() => load1.answered.length >= SOME, soon);
  const before = [...load1.answered];
  // Changes of the vault and of keys, while the backup is made.
  const changes = (async () => {
    for (let index = 0; index < 10; index += 1) {
      const extra = provider.addAccount();
      await api.importAccount(extra);
      await api.call('POST', '/api/api-keys', { name: `key ${index}` });
    }
  })();
  const full = await mustRun(folder, ['backup', at('full.backup')]);
  await changes;
  expect(full.stdout.join('\n')).toMatch(
    /Anyone who has it can read the provider tokens: master\.key and checkpoint\.key are in it/,
  );
  expect(statSync(at('full.backup')).mode & 0o777).toBe(0o600);
  const first = positionIn(full.stdout);

  await vi.waitUntil(() => load1.answered.length >= before.length + SOME, soon);
  const middle = [...load1.answered];
  const increment = await mustRun(folder, ['backup', at('next.backup'), '--since', at('full.backup')]);
  const second = positionIn(increment.stdout);
  expect(second).toBeGreaterThan(first);
  expect(increment.stdout[0]).toContain(`events after position ${first},`);
  await load1.stop();
  const origin = (await api.call('GET', '/api/integrity')).public_key.split('+')[0];
  await service.stop();

  const last = await mustRun(folder, ['backup', at('last.backup'), '--since', at('next.backup')]);
  const third = positionIn(last.stdout);
  expect(third).toBe(eventsIn(folder).length);

  for (const [name, files, upTo, answered] of [
    ['one', ['full.backup'], first, before],
    ['two', ['full.backup', 'next.backup'], second, middle],
    ['three', ['full.backup', 'next.backup', 'last.backup'], third, load1.answered],
  ] as const) {
    const restored = await mustRun(at(name), ['restore', ...files.map(at)]);
    expect(positionIn(restored.stdout)).toBe(upTo);
    const events = eventsIn(at(name));
    expect(events.slice(0, -1)).toEqual(eventsIn(folder, upTo));
    expect(events.at(-1)).toMatchObject({ position: upTo + 1, type: 'LossAccepted' });
    const text = JSON.stringify(events);
    expect(answered.filter((requestId) => !text.includes(requestId))).toEqual([]);
    expect(readFileSync(at(`${name}/master.key`), 'utf8')).toBe(readFileSync(join(folder, 'master.key'), 'utf8'));
    expect(statSync(at(`${name}/master.key`)).mode & 0o777).toBe(0o600);
    const verified = await mustRun(at(name), ['verify']);
    expect(verified.stderr.join('\n')).toContain('accepted as lost');
  }

  // It goes on: with the accounts, their tokens and an origin of its own.
  await using twin = serve({ folder: at('three'), provider });
  const twinUrl = await twin.listening();
  expect(await ask(twinUrl)).toMatchObject({ ending: 'completed' });
  const twinApi = managementApi(twinUrl);
  const keys = await twinApi.call('GET', '/api/api-keys');
  expect(keys).toHaveLength(10);
  await vi.waitFor(async () => {
    const integrity = await twinApi.call('GET', '/api/integrity');
    expect(integrity.public_key.split('+')[0]).toMatch(new RegExp(`^${origin}/2-[0-9a-f]{8}$`));
  }, soon);
  await twin.stop();
  await mustRun(at('three'), ['verify']);
});

test('a backup of a stopped folder changes nothing in it, and is complete', async () => {
  await using elsewhere = await tempDir('elsewhere');
  const at = (name: string) => join(elsewhere.path, name);
  const { folder, service, ask } = await loadedService({ SVC_ENCRYPTION_KEY: 'a'.repeat(64) });
  await ask();
  await service.stop();
  const before = filesIn(folder);
  writeFileSync(at('passphrase'), 'correct horse battery staple\n');
  const env = { SVC_ENCRYPTION_KEY: 'a'.repeat(64), SVC_UPSTREAM_BASE_URL: 'https://user:secret@example.org' };
  const options = ['--passphrase-file', at('passphrase')];
  const made = await mustRun(folder, ['backup', at('one.backup'), ...options], env);
  expect(made.stdout.join('\n')).toContain('keep SVC_ENCRYPTION_KEY in another place');
  expect(filesIn(folder)).toEqual(before);
  expect(readFileSync(at('one.backup')).includes('secret')).toBe(false);

  const refused = await runSvc(at('no'), ['restore', at('one.backup')]);
  expect(refused).toMatchObject({ exitCode: 1, stderr: [expect.stringContaining(`${at('one.backup')} is encrypted`)] });
  expect(existsSync(at('no'))).toBe(false);
  const restored = await mustRun(at('yes'), ['restore', at('one.backup'), ...options]);
  expect(restored.stdout.join('\n')).toContain('start svc with the SVC_ENCRYPTION_KEY that it was made with');
  expect(existsSync(at('yes/master.key'))).toBe(false);
  const settings = readFileSync(at('yes/settings.env'), 'utf8');
  expect(settings).toContain('# SVC_ENCRYPTION_KEY was set.');
  expect(settings).not.toMatch(/secret@|aaaa/);
  expect(eventsIn(at('yes')).slice(0, -1)).toEqual(eventsIn(folder));
});

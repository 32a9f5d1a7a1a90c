import { randomBytes } from 'node:crypto';
import { jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { expect, onTestFinished, test } from 'vitest';
import { disposeClient, openClient } from '../../../src/eventLog/eventstore/client/client.ts';
import { parseConnectionString } from '../../../src/eventLog/eventstore/client/connectionString.ts';
import { openSharedVault } from '../../../src/vault/sharedVault.ts';
import { startFakeEventStore } from './fakeEventStore.ts';
import { configuredServer } from './realServer.ts';
import { aStage } from './stage.ts';

async function write(url: string, stream: string): Promise<void> {
  const client = openClient(parseConnectionString(url));
  await client.appendToStream(stream, jsonEvent({ type: 'Happened', data: {} }), { expectedRevision: NO_STREAM });
  await disposeClient(client);
}

test('tombstones only the streams of its own run, so that the next run works', async () => {
  const fake = await startFakeEventStore();
  onTestFinished(() => fake.kill());
  const { database, url } = fake;
  await write(url, 'before-this-run');
  for (const stream of ['firewall-one', 'firewall-other']) {
    const server = await configuredServer(url);
    await write(url, stream);
    expect(database.isTombstoned(stream)).toBe(false);
    await server.stop();
    expect(database.isTombstoned(stream)).toBe(true);
  }
  expect(database.isTombstoned('before-this-run')).toBe(false);
});

test('refuses a server that a service uses, and accepts one with the vault of an earlier run', async () => {
  const { server, open } = await aStage();
  const store = await open();
  const { masterKey, stop } = await configuredServer(server.url);
  const vault = await openSharedVault({ streams: store.keys, masterKey, report: () => undefined });
  vault.close();
  await stop();
  await (await configuredServer(server.url)).stop();

  const inUse = await aStage();
  const otherKey = randomBytes(32).toString('base64');
  (await openSharedVault({ streams: (await inUse.open()).keys, masterKey: otherKey, report: () => undefined })).close();
  const before = inUse.database.log.length;
  await expect(configuredServer(inUse.server.url)).rejects.toThrow('Give the tests a server of their own');
  expect(inUse.database.log).toHaveLength(before);
});

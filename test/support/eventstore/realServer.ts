import { hash } from 'node:crypto';
import { disposeClient, type EventStoreClient, openClient } from '../../../src/eventLog/eventstore/client/client.ts';
import { parseConnectionString } from '../../../src/eventLog/eventstore/client/connectionString.ts';
import { isDeletedStream } from '../../../src/eventLog/eventstore/client/failures.ts';
import { readHead, readStreamOnce } from '../../../src/eventLog/eventstore/client/reads.ts';
import { unwrapInstallationKey } from '../../../src/vault/envelope.ts';
import { parseMasterKey } from '../../../src/vault/masterKey.ts';
import { startContainer } from '../containers.ts';

export interface RealServer {
  readonly url: string;
  /** The same in every run, because a server keeps the vault that the first run created. */
  readonly masterKey: string;
  stop(): Promise<void>;
}

/** Why the tests over a real server are skipped. */
export const NO_REAL_SERVER = 'neither SVC_TEST_EVENTSTORE_URL nor a container engine';

const masterKey = hash('sha256', 'the vault of the tests', 'base64');

/** The server of SVC_TEST_EVENTSTORE_URL, or one in a container that ends with this process; undefined without either. */
export async function realServer(): Promise<RealServer | undefined> {
  const url = process.env.SVC_TEST_EVENTSTORE_URL;
  if (url) return configuredServer(url);
  const container = await startContainer('eventstore', {
    port: 2113,
    environment: { EVENTSTORE_MEM_DB: 'true' },
    healthPath: '/health/live',
  });
  if (!container) return undefined;
  return { url: `esdb://${container.host}:${container.port}?tls=false`, masterKey, stop: container.stop };
}

/**
 * A server that the tests did not start. `stop` tombstones the streams that the tests wrote, so that a scavenge frees
 * their space.
 * @throws when a service uses this server; nothing is written to it then
 */
export async function configuredServer(url: string): Promise<RealServer> {
  const client = openClient(parseConnectionString(url));
  await refuseInUse(client);
  const before = await readHead(client);
  return {
    url,
    masterKey,
    async stop() {
      const written = new Set<string>();
      for await (const { event } of client.readAll(before && { fromPosition: before })) {
        // The read begins with the last event that existed before.
        if (event && event.position.commit !== before?.commit && isOfTests(event.streamId)) written.add(event.streamId);
      }
      for (const stream of written) {
        await client.tombstoneStream(stream).catch((error) => {
          if (!isDeletedStream(error)) throw error;
        });
      }
      await disposeClient(client);
    },
  };
}

const VAULT = 'vault-installation';
/** The vault stays for the next run, because the name of a tombstoned stream can never be used again. */
const isOfTests = (stream: string): boolean => !stream.startsWith('$') && stream !== VAULT;

async function refuseInUse(client: EventStoreClient): Promise<void> {
  const [created] = await readStreamOnce(client, VAULT, { maxCount: 1 });
  if (!created) return;
  const { wrapped } = created.data as { wrapped?: unknown };
  const master = parseMasterKey(masterKey, 'the key of the tests');
  if (unwrapInstallationKey(master, Buffer.from(String(wrapped), 'base64'))) return;
  await disposeClient(client);
  throw new Error('A service uses the server of SVC_TEST_EVENTSTORE_URL. Give the tests a server of their own.');
}

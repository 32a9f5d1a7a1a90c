import { hash } from 'node:crypto';
import { disposeClient, type EventStoreClient, openClient } from '../../../src/eventLog/eventstore/client/client.ts';
import { parseConnectionString } from '../../../src/eventLog/eventstore/client/connectionString.ts';
import { isDeletedStream } from '../../../src/eventLog/eventstore/client/failures.ts';
import { headOf, readStreamOnce } from '../../../src/eventLog/eventstore/client/reads.ts';
import { unwrapInstallationKey } from '../../../src/vault/envelope.ts';
import { parseMasterKey } from '../../../src/vault/masterKey.ts';
import { startContainer } from '../containers.ts';

export interface RealServer {
  readonly url: string;
  /** The same at every run: a server keeps the vault that the first one made. */
  readonly masterKey: string;
  stop(): Promise<void>;
}

/** Why there is none, for the name of what is skipped. */
export const NO_REAL_SERVER = 'neither SVC_TEST_EVENTSTORE_URL nor a container engine';

const masterKey = hash('sha256', 'the vault of the tests', 'base64');

/** The server that somebody else runs, or one in a container that ends with this process. */
export async function realServer(): Promise<RealServer | undefined> {
  const given = process.env.SVC_TEST_EVENTSTORE_URL;
  if (given) return givenServer(given);
  const container = await startContainer('eventstore', {
    port: 2113,
    environment: { EVENTSTORE_MEM_DB: 'true' },
    healthPath: '/health/live',
  });
  if (!container) return undefined;
  return { url: `esdb://${container.host}:${container.port}?tls=false`, masterKey, stop: container.stop };
}

/**
 * Afterwards the streams that were written are deleted for good, so that a scavenge gives their space back.
 * @throws when somebody works with this server: nothing was written to it then
 */
export async function givenServer(url: string): Promise<RealServer> {
  const client = openClient(parseConnectionString(url));
  await refuseInUse(client);
  const before = await headOf(client);
  return {
    url,
    masterKey,
    async stop() {
      const written = new Set<string>();
      for await (const { event } of client.readAll(before && { fromPosition: before })) {
        // Reading begins with what stands there.
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
/** The vault stays for the next run: a name that was deleted for good can never be used again. */
const isOfTests = (stream: string): boolean => !stream.startsWith('$') && stream !== VAULT;

async function refuseInUse(client: EventStoreClient): Promise<void> {
  const [made] = await readStreamOnce(client, VAULT, { maxCount: 1 });
  if (!made) return;
  const { wrapped } = made.data as { wrapped?: unknown };
  const master = parseMasterKey(masterKey, 'the key of the tests');
  if (unwrapInstallationKey(master, Buffer.from(String(wrapped), 'base64'))) return;
  await disposeClient(client);
  throw new Error('SVC_TEST_EVENTSTORE_URL names a server that svc works with. Give the tests one of their own.');
}

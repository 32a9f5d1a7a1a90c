import { readFileSync } from 'node:fs';
import { EventStoreDBClient } from '@eventstore/db-client';
import { ServerFeaturesClient } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { ConnectionSettings } from './connectionString.ts';

/** The client as svc uses it. Only this folder may import the library: the client for newer servers has another name. */
export class EventStoreClient extends EventStoreDBClient {
  // Turns off batch appends, which have no deadline, fail together with those of all other clients of the process, and end
  // in unhandled rejections. Instead the client makes one call per append, with a deadline
  // (docs/stores.md#eventstoredb-classic-appends-with-a-deadline).
  protected override supports = async (): Promise<boolean> => false;

  /** Reads the version of the server, for example 24.10.6. @param deadline in milliseconds */
  serverVersion(deadline: number): Promise<string> {
    const [metadata, options] = this.callArguments({ deadline });
    return this.execute(
      ServerFeaturesClient,
      'serverVersion',
      (client) =>
        new Promise((resolve, reject) => {
          client.getSupportedMethods(new shared.Empty(), metadata, options, (error, methods) => {
            if (error) reject(error);
            else resolve(methods.getEventStoreServerVersion());
          });
        }),
    );
  }
}

/** Creates a client, which connects with its first call. @throws Error when a certificate cannot be read */
export function openClient(settings: ConnectionSettings): EventStoreClient {
  const { hosts, isDnsName, tls, caFile, userCertificate, credentials, options } = settings;
  const [first] = hosts as [ConnectionSettings['hosts'][number]];
  const security = {
    insecure: !tls,
    ...(caFile !== undefined && { rootCertificate: readFileSync(caFile) }),
    ...(userCertificate && {
      userCertFile: readFileSync(userCertificate.certFile),
      userKeyFile: readFileSync(userCertificate.keyFile),
    }),
  };
  if (isDnsName) return new EventStoreClient({ ...options, discover: first }, security, credentials);
  if (hosts.length > 1) return new EventStoreClient({ ...options, endpoints: [...hosts] }, security, credentials);
  return new EventStoreClient({ ...options, endpoint: first }, security, credentials);
}

const DISPOSE_MS = 1_000;

/** Disposes of a client, and waits a limited time for it (docs/stores.md#eventstoredb-dispose-may-never-settle). */
export async function disposeClient(client: EventStoreClient): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, DISPOSE_MS);
  });
  await Promise.race([client.dispose().catch(() => {}), timeout]);
  clearTimeout(timer);
}

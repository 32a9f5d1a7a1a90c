import { readFileSync } from 'node:fs';
import { EventStoreDBClient } from '@eventstore/db-client';
import { ServerFeaturesClient } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { ConnectionSettings } from './connectionString.ts';

/** The client as svc uses it. Keep it behind this folder: newer servers come with a renamed one. */
export class EventStoreClient extends EventStoreDBClient {
  // Batch append has no deadline, shares its fate with all other clients of the process and ends in unhandled rejections
  // (event-sourcing.md B1.0, B1.2). A server that cannot do it gets one call for each append, with a deadline.
  protected override supports = async (): Promise<boolean> => false;

  /** The version that the server names, such as 24.10.6. @param deadline in milliseconds */
  serverVersion(deadline: number): Promise<string> {
    const [metadata, options] = this.callArguments({ deadline });
    return this.execute(
      ServerFeaturesClient,
      'serverVersion',
      (client) =>
        new Promise((resolve, reject) => {
          client.getSupportedMethods(new shared.Empty(), metadata, options, (error, answer) => {
            if (error) reject(error);
            else resolve(answer.getEventStoreServerVersion());
          });
        }),
    );
  }
}

/** Makes a client; it connects with its first call. @throws Error when a certificate cannot be read */
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

/** Lets go of a client, which may never say that it is done (B1.6). */
export async function disposeClient(client: EventStoreClient): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, DISPOSE_MS);
  });
  await Promise.race([client.dispose().catch(() => {}), patience]);
  clearTimeout(timer);
}

import { startContainer } from '../containers.ts';

export interface RealServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Why there is none, for the name of what is skipped. */
export const NO_REAL_SERVER = 'neither SVC_TEST_EVENTSTORE_URL nor a container engine';

/** The server that somebody else runs, or one in a container that ends with this process. */
export async function realServer(): Promise<RealServer | undefined> {
  const given = process.env.SVC_TEST_EVENTSTORE_URL;
  if (given) return { url: given, stop: async () => undefined };
  const container = await startContainer('eventstore', {
    port: 2113,
    environment: { EVENTSTORE_MEM_DB: 'true' },
    healthPath: '/health/live',
  });
  return container && { url: `esdb://${container.host}:${container.port}?tls=false`, stop: container.stop };
}

import { disposeClient, type EventStoreClient, openClient } from './client.ts';
import type { ConnectionSettings } from './connectionString.ts';
import { CallTimedOut, isConnectionFailure, isFailedDiscovery } from './failures.ts';

export interface Connection {
  /**
   * Makes a call and waits for it at most `timeoutMs`, because the client does not apply its deadline to every call.
   * @throws CallTimedOut, and what the client throws
   */
  call<Result>(work: (client: EventStoreClient) => Promise<Result>, timeoutMs: number): Promise<Result>;
  close(): Promise<void>;
}

const MAX_FAILURES = 5;

/** Opens a connection that replaces its client after several failures in a row, or after one failed discovery. */
export function openConnection(settings: ConnectionSettings): Connection {
  let client = openClient(settings);
  let failures = 0;
  let isClosed = false;

  function countFailure(error: unknown, used: EventStoreClient): void {
    if (used !== client || isClosed) return;
    if (!isConnectionFailure(error)) {
      failures = 0;
      return;
    }
    failures += 1;
    if (failures < MAX_FAILURES && !isFailedDiscovery(error)) return;
    failures = 0;
    client = openClient(settings);
    void disposeClient(used);
  }

  return {
    async call(work, timeoutMs) {
      const used = client;
      try {
        const result = await withTimeout(timeoutMs, work(used));
        failures = 0;
        return result;
      } catch (error) {
        countFailure(error, used);
        throw error;
      }
    },
    close() {
      isClosed = true;
      return disposeClient(client);
    },
  };
}

/** @throws CallTimedOut after `timeoutMs`; a later result is dropped */
async function withTimeout<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CallTimedOut(timeoutMs)), timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

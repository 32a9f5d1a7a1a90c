import { disposeClient, type EventStoreClient, openClient } from './client.ts';
import type { ConnectionSettings } from './connectionString.ts';
import { CallTimedOut, isConnectionFailure, isFailedDiscovery } from './failures.ts';

export interface Connection {
  /**
   * Makes a call and waits for it no longer than this, whatever deadlines the client keeps.
   * @throws NoAnswer, and what the client throws
   */
  call<Result>(work: (client: EventStoreClient) => Promise<Result>, timeoutMs: number): Promise<Result>;
  close(): Promise<void>;
}

const MAX_FAILURES = 5;

/** A client that is replaced when it can no longer be trusted: after failures in a row, or one failed discovery. */
export function openConnection(settings: ConnectionSettings): Connection {
  let client = openClient(settings);
  let failures = 0;
  let isClosed = false;

  function judge(error: unknown, used: EventStoreClient): void {
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
        const result = await within(timeoutMs, work(used));
        failures = 0;
        return result;
      } catch (error) {
        judge(error, used);
        throw error;
      }
    },
    close() {
      isClosed = true;
      return disposeClient(client);
    },
  };
}

/** @throws NoAnswer when the time is over; what the work comes to then is dropped */
async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CallTimedOut(timeoutMs)), timeoutMs);
  });
  try {
    return await Promise.race([work, patience]);
  } finally {
    clearTimeout(timer);
  }
}

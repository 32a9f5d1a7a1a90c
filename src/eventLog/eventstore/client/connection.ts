import { type ConfirmStore, disposeClient, type EventStoreClient, openClient } from './client.ts';
import type { ConnectionSettings } from './connectionString.ts';
import { CallTimedOut, isConnectionFailure, isFailedDiscovery, NotSent } from './failures.ts';

export interface Connection {
  /**
   * Makes a call and waits for it at most `timeoutMs`, because the client does not apply its deadline to every call.
   * @throws CallTimedOut, and what the client throws
   */
  call<Result>(work: (client: EventStoreClient) => Promise<Result>, timeoutMs: number): Promise<Result>;
  /**
   * Makes a call that writes, once the store is confirmed.
   * @throws NotSent when it is not, and what `call` throws
   */
  write<Result>(work: (client: EventStoreClient) => Promise<Result>, timeoutMs: number): Promise<Result>;
  /** Confirms the store of the current connection, unless that was done before. @throws NotSent */
  confirm(): Promise<void>;
  close(): Promise<void>;
}

const MAX_FAILURES = 5;
const CONFIRM_MS = 2_000;

/**
 * Opens a connection that replaces its client after several failures in a row, or after one failed discovery.
 * @param confirm called after each loss of the connection, before the next write is sent
 * @param onWrite called with the end of each write: its error, if it had one
 */
export function openConnection(
  settings: ConnectionSettings,
  confirm: ConfirmStore,
  onWrite: (error?: unknown) => void = () => {},
): Connection {
  let client = openClient(settings, confirm);
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
    client = openClient(settings, confirm);
    void disposeClient(used);
  }

  async function call<Result>(work: (client: EventStoreClient) => Promise<Result>, timeoutMs: number): Promise<Result> {
    const used = client;
    try {
      const result = await withTimeout(timeoutMs, work(used));
      failures = 0;
      return result;
    } catch (error) {
      countFailure(error, used);
      throw error;
    }
  }

  async function confirmStore(): Promise<void> {
    try {
      await call((used) => used.confirmConnection(), CONFIRM_MS);
    } catch (error) {
      throw error instanceof NotSent ? error : new NotSent(error);
    }
  }

  return {
    call,
    async write(work, timeoutMs) {
      try {
        await confirmStore();
        const result = await call(work, timeoutMs);
        onWrite();
        return result;
      } catch (error) {
        onWrite(error);
        throw error;
      }
    },
    confirm: confirmStore,
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

import type { Faults } from '../../../lib/faults.ts';

const UNREACHABLE = 'store_unreachable';
const FOREIGN = 'store_foreign';
const OLDER = 'store_older';
const NO_WRITES = 'store_takes_no_writes';

/** Says what is wrong between this node and EventStoreDB. */
export interface StoreFaults {
  lost(reason: string): void;
  /** The server responds, but without the events that were read from it before. */
  replaced(isForeign: boolean): void;
  connected(): void;
  /** The server responds, but writes fail. */
  writesFail(reason: string): void;
  writesWork(): void;
}

/** @param hosts the servers, for messages */
export function createStoreFaults(faults: Pick<Faults, 'raise' | 'clear'>, hosts: string): StoreFaults {
  let current: string | undefined;
  let since = 0;
  let noWritesSince: number | undefined;

  function raise(code: string, cause: string, remedy: string): void {
    if (current === undefined) since = performance.now();
    // A foreign store also ends connections, and must stay the message that an operator sees.
    else if (current !== code && code === UNREACHABLE) return;
    else if (current !== code) faults.clear(current, undefined, `EventStoreDB at ${hosts} responds again.`);
    current = code;
    faults.raise({ code, cause, remedy });
  }

  return {
    lost(reason) {
      raise(
        UNREACHABLE,
        `Lost the connection to EventStoreDB at ${hosts}: ${reason}. Changes get 503; requests continue, and their events wait in the outbox.`,
        'Check that the server runs and can be reached; this node reconnects by itself.',
      );
    },
    replaced(isForeign) {
      if (isForeign) {
        raise(
          FOREIGN,
          `EventStoreDB at ${hosts} holds the data of another installation, or none. This node writes nothing to it: changes get 503, and the events of requests wait in the outbox.`,
          "Put this installation's data back, or correct SVC_EVENTSTORE_URL and restart; this node goes on by itself once it finds its data.",
        );
        return;
      }
      raise(
        OLDER,
        `EventStoreDB at ${hosts} lacks the last event that this node has read from it: it was restored from an older backup. This node writes nothing to it: changes get 503, and the events of requests wait in the outbox.`,
        'Put the newer data back, and this node goes on by itself; or follow "Restoring a backup" in docs/operation.md.',
      );
    },
    connected() {
      if (current === undefined) return;
      const seconds = Math.round((performance.now() - since) / 1_000);
      faults.clear(current, undefined, `Connected to EventStoreDB again after ${seconds} s.`);
      current = undefined;
    },
    writesFail(reason) {
      // Nothing can be written then either, and that is said already.
      if (current !== undefined) return;
      noWritesSince ??= performance.now();
      faults.raise({
        code: NO_WRITES,
        cause: `EventStoreDB at ${hosts} responds but takes no writes: ${reason}. Changes get 503; requests continue, and their events wait in the outbox.`,
        remedy:
          'Check that a majority of its nodes runs, that its disk has room, and the rights of the user; this node goes on by itself.',
      });
    },
    writesWork() {
      if (noWritesSince === undefined) return;
      const seconds = Math.round((performance.now() - noWritesSince) / 1_000);
      faults.clear(NO_WRITES, undefined, `EventStoreDB at ${hosts} takes writes again after ${seconds} s.`);
      noWritesSince = undefined;
    },
  };
}

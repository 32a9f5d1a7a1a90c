import { setTimeout as delay } from 'node:timers/promises';
import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import { position } from '../../domain/core/brands.ts';
import { unwrapInstallationKey } from '../../vault/envelope.ts';
import { parseMasterKey, refuseMissingKey } from '../../vault/masterKey.ts';
import type { StoredEvent } from '../eventLog.ts';
import { parseConnectionString } from '../eventstore/client/connectionString.ts';
import { openEventStore } from '../eventstore/eventStore.ts';
import { countPendingEvents } from '../outbox/outbox.ts';
import { type HistoryTarget, TransferFailed, WRONG_MASTER_KEY } from './history.ts';

export interface EventStoreHistoryOptions {
  readonly url: string;
  /** The value of SVC_ENCRYPTION_KEY. */
  readonly masterKey: string | undefined;
  readonly folder: DataFolder;
  readonly say: (line: string) => void;
}

const AGAIN_MS = 1_000;

/** The history in EventStoreDB, by way of a mirror in the data folder. Waits for the server as long as it takes. */
export async function openEventStoreHistory({
  url,
  masterKey,
  folder,
  say,
}: EventStoreHistoryOptions): Promise<HistoryTarget> {
  const settings = parseConnectionString(url);
  refuseMissingKey(masterKey);
  const store = await openEventStore({ settings, path: folder.file('mirror.sqlite'), node: folder.node, say });
  const { log, keys, replicationTarget } = store;
  const outbox = folder.file('outbox.sqlite');
  const waiting = await store.retry(() => countPendingEvents(outbox, replicationTarget));
  if (waiting > 0) {
    await store.close();
    throw new TransferFailed(
      `${waiting} events of this node wait in ${outbox} and stand nowhere else: start svc and let it bring them to ` +
        'EventStoreDB first.',
    );
  }

  /** Whether these events stand where they are to stand; an append of unknown end may have been written. */
  async function isThere(events: readonly StoredEvent[]): Promise<boolean> {
    const { stream, revision } = events[0] as StoredEvent;
    const ids = await replicationTarget.idsOf(stream, revision, events.length);
    return events.every(({ id }, index) => id === ids[index]);
  }

  async function append(events: readonly StoredEvent[]): Promise<void> {
    for (;;) {
      const outcome = await replicationTarget.append(events);
      if (outcome.kind === 'committed') return;
      if (outcome.kind === 'rejected' && events.length > 1) {
        for (const event of events) await append([event]);
        return;
      }
      const { stream, revision, position: at } = events[0] as StoredEvent;
      if (outcome.kind === 'rejected') throw new TransferFailed(`position ${at} cannot be written: ${outcome.reason}`);
      if (outcome.kind === 'conflict') {
        if (await isThere(events)) return;
        throw new TransferFailed(
          `EventStoreDB has other events in ${stream} at revision ${revision}: it is in use. Stop every node.`,
        );
      }
      say(`EventStoreDB did not say whether it wrote position ${at} (${outcome.error.message}); trying again`);
      await delay(AGAIN_MS);
    }
  }

  return {
    async head() {
      await store.catchUp();
      return log.head();
    },
    readAll: (after) => log.readAll(after),
    async wrappedKeys() {
      const there = await keys.follow({ onWritten: () => {}, onDestroyed: () => {} });
      const isUsed = there.length > 0 || (await log.head()) > position(0);
      const installation = isUsed ? await keys.installation(() => nobodyOpenedIt()) : undefined;
      return { installation, keys: there.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
    },
    async writeKeys({ installation, keys: wanted }) {
      if (!installation) return;
      if (!unwrapInstallationKey(parseMasterKey(masterKey, 'SVC_ENCRYPTION_KEY'), installation)) {
        throw new TransferFailed(WRONG_MASTER_KEY);
      }
      const there = await keys.installation(() => installation);
      if (Buffer.compare(there, installation) !== 0)
        throw new TransferFailed('EventStoreDB holds another vault; take an empty one');
      for (const key of wanted) await keys.write(key);
    },
    append,
    close: store.close,
  };
}

function nobodyOpenedIt(): never {
  throw new TransferFailed('EventStoreDB holds a history but no vault: it was not made by svc');
}

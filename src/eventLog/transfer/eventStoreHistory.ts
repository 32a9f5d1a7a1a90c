import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import { position } from '../../domain/core/brands.ts';
import { Faults } from '../../lib/faults.ts';
import type { Print } from '../../lib/log/line.ts';
import { unwrapInstallationKey } from '../../vault/envelope.ts';
import { parseMasterKey, requireMasterKey } from '../../vault/masterKey.ts';
import type { StoredEvent } from '../eventLog.ts';
import { parseConnectionString } from '../eventstore/client/connectionString.ts';
import { openEventStore } from '../eventstore/eventStore.ts';
import { StoreLacksEvents } from '../eventstore/mirror/resumePoint.ts';
import { countParkedEvents, countPendingEvents } from '../outbox/outbox.ts';
import { archivedDaysOf } from './archivedDaysOf.ts';
import { eventOfTuple, tuplePages } from './eventTuples.ts';
import { type BatchLimits, type HistoryTarget, TransferFailed, WRONG_MASTER_KEY } from './history.ts';

export interface EventStoreHistoryOptions {
  readonly url: string;
  /** The value of SVC_ENCRYPTION_KEY. */
  readonly masterKey: string | undefined;
  readonly folder: DataFolder;
  readonly print: Print;
  /** Whether nothing will be written: then a store is read that lacks events which this node has read. */
  readonly onlyReads?: boolean;
}

const RETRY_MS = 1_000;
/** Well below the limit of EventStoreDB (docs/stores.md#eventstoredb-size-of-an-append). */
const BATCHES: BatchLimits = { events: 200, bytes: 512 * 1_024, isOneStream: true };

/** Opens the history in EventStoreDB, read through a mirror in the data folder. Waits until the server is reachable. */
export async function openEventStoreHistory({
  url,
  masterKey,
  folder,
  print,
  onlyReads = false,
}: EventStoreHistoryOptions): Promise<HistoryTarget> {
  const settings = parseConnectionString(url);
  requireMasterKey(masterKey);
  const faults = new Faults({ print, now: Date.now });
  const path = folder.file('mirror.sqlite');
  const open = (mirror: string) => openEventStore({ settings, path: mirror, node: folder.node, print, faults });
  const temporary = folder.file('mirror.export.sqlite');
  const removeTemporary = () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${temporary}${suffix}`, { force: true });
  };
  removeTemporary();
  const store = await open(path).catch((error: unknown) => {
    if (!onlyReads || !(error instanceof StoreLacksEvents)) throw error;
    print(`The export will not have all events. ${error.message}`);
    return open(temporary);
  });
  const { log, keys, replicationTarget } = store;
  const outbox = folder.file('outbox.sqlite');
  const pending = await store.retry(() => countPendingEvents(outbox, replicationTarget));
  if (pending > 0) {
    await store.close();
    throw new TransferFailed(
      `${pending} events of this node wait in ${outbox} and are not in EventStoreDB yet. Start svc, so that it drains them ` +
        'first.',
    );
  }
  const parked = countParkedEvents(outbox);
  if (parked > 0) {
    print(`${parked} events of this node are parked in ${outbox} and are not part of its history: see svc outbox.`);
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
        // An earlier append with an unknown outcome may have written them.
        const ids = events.map(({ id }) => id);
        if ((await replicationTarget.countWritten(stream, ids)) === events.length) return;
        throw new TransferFailed(
          `EventStoreDB has other events in ${stream} from revision ${revision} on: a node is running. Stop every node.`,
        );
      }
      print(`Couldn't confirm that EventStoreDB wrote position ${at}: ${outcome.error.message}. Retrying.`);
      await delay(RETRY_MS);
    }
  }

  return {
    archivedDays: archivedDaysOf(path),
    async head() {
      await store.catchUp();
      return log.head();
    },
    readAll: (after) => log.readAll(after),
    readPages: () => tuplePages(log.readAll(position(0))),
    batches: BATCHES,
    async readKeys() {
      const existing = await keys.follow({ onWritten: () => {}, onDestroyed: () => {} });
      const isUsed = existing.length > 0 || (await log.head()) > position(0);
      const installation = isUsed ? await keys.getOrCreateInstallationKey(() => noVault()) : undefined;
      return { installation, keys: existing.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
    },
    async writeKeys({ installation, keys: newKeys }) {
      if (!installation) return;
      if (!unwrapInstallationKey(parseMasterKey(masterKey, 'SVC_ENCRYPTION_KEY'), installation)) {
        throw new TransferFailed(WRONG_MASTER_KEY);
      }
      const existing = await keys.getOrCreateInstallationKey(() => installation);
      if (Buffer.compare(existing, installation) !== 0) {
        throw new TransferFailed('EventStoreDB contains another vault. Import into an empty EventStoreDB.');
      }
      for (const key of newKeys) await keys.write(key);
    },
    append: (events) => append(events.map(eventOfTuple)),
    async close() {
      await store.close();
      removeTemporary();
    },
  };
}

function noVault(): never {
  throw new TransferFailed(
    'EventStoreDB contains events but no vault, so svc did not write them. Check SVC_EVENTSTORE_URL.',
  );
}

import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import { instant } from '../../domain/core/brands.ts';
import { parseConnectionString } from '../../eventLog/eventstore/client/connectionString.ts';
import { startDrainThread } from '../../eventLog/eventstore/drain/drainThread.ts';
import { openEventStore } from '../../eventLog/eventstore/eventStore.ts';
import { openOutbox } from '../../eventLog/outbox/outbox.ts';
import { reportRejectedAppends } from '../../eventLog/reportRejectedAppends.ts';
import { watchAppends } from '../../eventLog/watchAppends.ts';
import { parseMasterKey, requireMasterKey } from '../../vault/masterKey.ts';
import { openSharedVault } from '../../vault/sharedVault.ts';
import type { Config } from '../config/config.ts';
import { journalFaults } from './journalFaults.ts';
import { MARK_FILES, type OnLoss } from './knownLog.ts';
import { markFaults } from './markFaults.ts';
import { findLossAfterCatchUp } from './outboxLoss.ts';
import { createSharedArchive } from './sharedArchive.ts';
import { openSharedLog } from './sharedLog.ts';
import type { Store, StoreIo } from './store.ts';
import { watchDataFolder } from './watchDataFolder.ts';

/**
 * Events and data keys in EventStoreDB, for any number of nodes; the data folder has a copy to read from, and the outbox.
 * Waits for the server without a time limit.
 * @param onLoss see `openStore`
 * @throws LogLacksEvents without `onLoss`; errors that waiting does not resolve, with what to do
 */
export async function openSharedStore(
  { SVC_EVENTSTORE_URL, SVC_ENCRYPTION_KEY, SVC_ENCRYPTION_KEY_NEW, SVC_OUTBOX_MAX_EVENTS }: Config,
  folder: DataFolder,
  { print, report, faults, onAppended }: StoreIo,
  onLoss?: OnLoss,
): Promise<Store> {
  const [logPath, outboxPath] = [folder.file('mirror.sqlite'), folder.file('outbox.sqlite')];
  const { node } = folder;
  const settings = parseConnectionString(SVC_EVENTSTORE_URL ?? '');
  // Report an unusable key before waiting for the server.
  requireMasterKey(SVC_ENCRYPTION_KEY);
  parseMasterKey(SVC_ENCRYPTION_KEY, 'SVC_ENCRYPTION_KEY');
  // Until a loss is recorded in the log, the mark must go on proving it.
  const markPath = onLoss ? undefined : folder.file(MARK_FILES.mirror);
  const onMarkFailure = markFaults(faults, folder.file(MARK_FILES.mirror));
  const open = () => openEventStore({ settings, path: logPath, node, print, faults, markPath, onMarkFailure });
  const eventStore = await openSharedLog({ folder, print, open, onLoss });
  const { keys, retry } = eventStore;
  try {
    const vault = await retry(() =>
      openSharedVault({ streams: keys, masterKey: SVC_ENCRYPTION_KEY, newMasterKey: SVC_ENCRYPTION_KEY_NEW, report }),
    );
    const mark = { path: folder.file(MARK_FILES.outbox), isPruned: true };
    const outboxLoss = await findLossAfterCatchUp(eventStore, { path: outboxPath, markPath: mark.path });
    if (outboxLoss && !onLoss) throw outboxLoss;
    if (outboxLoss) onLoss?.({ of: 'outbox', error: outboxLoss });
    const journal = journalFaults(faults, outboxPath);
    const opened = await retry(() =>
      openOutbox({
        path: outboxPath,
        onJournalFault: journal.onJournalFault,
        // Until a loss is recorded in the log, the mark must go on proving it.
        ...(!onLoss && { mark, onMarkFailure: markFaults(faults, mark.path) }),
        node,
        store: eventStore.replicationTarget,
        drain: (start) =>
          startDrainThread({
            path: outboxPath,
            mirrorPath: logPath,
            settings,
            store: eventStore.replicationTarget,
            ...start,
            onTrouble(trouble) {
              eventStore.checkWrites();
              start.onTrouble(trouble);
            },
          }),
        maxEvents: SVC_OUTBOX_MAX_EVENTS,
        faults,
        report,
      }),
    );
    const watch = watchDataFolder({ folder, files: [outboxPath], faults });
    const outbox = watchAppends(reportRejectedAppends(opened, { print, faults, subject: outboxPath }), {
      faults,
      path: outboxPath,
      refusal: () => watch.refusal ?? journal.refusal,
      onAppended,
    });
    if (outbox.pending > 0) print(`${outbox.pending} events of an earlier start wait in the outbox for EventStoreDB`);
    return {
      name: 'eventstore',
      log: reportRejectedAppends(eventStore.log, { print, faults, subject: 'EventStoreDB' }),
      vault,
      logPath,
      isFailing: outbox.isFailing,
      checkIdle: outbox.checkIdle,
      isCopyWritten: () => eventStore.isMirrorWritten,
      outbox,
      archiving: { shared: createSharedArchive({ eventStore, folder, report }) },
      leases: eventStore.leases,
      checkpoints: eventStore.checkpoints,
      get cutOffSince() {
        const { cutOffSince } = eventStore;
        return cutOffSince === undefined ? undefined : instant(Math.round(performance.timeOrigin + cutOffSince));
      },
      retryWhileUnavailable: retry,
      async close() {
        watch.stop();
        await eventStore.close();
        vault.close();
      },
    };
  } catch (error) {
    await eventStore.close();
    throw error;
  }
}

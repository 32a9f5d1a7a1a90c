import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import { archivePathOf } from '../../eventLog/archive/archiveFile.ts';
import { reportRejectedAppends } from '../../eventLog/reportRejectedAppends.ts';
import { continueAfterLastEvent } from '../../eventLog/sqlite/continueAfterLastEvent.ts';
import { hasEvents } from '../../eventLog/sqlite/hasEvents.ts';
import { createSqliteEventLog } from '../../eventLog/sqlite/sqliteEventLog.ts';
import { watchAppends } from '../../eventLog/watchAppends.ts';
import { openSqliteVault } from '../../vault/sqliteVault.ts';
import type { Config } from '../config/config.ts';
import { journalFaults } from './journalFaults.ts';
import { findEmbeddedLoss, MARK_FILES, type OnLoss } from './knownLog.ts';
import { markFaults } from './markFaults.ts';
import { reportVaultFailures } from './reportVaultFailures.ts';
import { requireOwnLog } from './requireOwnLog.ts';
import type { Store, StoreIo } from './store.ts';
import { watchDataFolder } from './watchDataFolder.ts';
import { watchMasterKey } from './watchMasterKey.ts';

/**
 * Everything in the data folder, for a single node.
 * @param onLoss see `openStore`
 * @throws FolderOfEventStore; LogLacksEvents without `onLoss`; VaultMissing when the log has events and there is no vault; when a file cannot be opened, with what to do
 */
export async function openEmbeddedStore(
  { SVC_ENCRYPTION_KEY, SVC_ENCRYPTION_KEY_NEW }: Config,
  folder: DataFolder,
  { print, report, faults, onAppended }: StoreIo,
  onLoss?: OnLoss,
): Promise<Store> {
  requireOwnLog(folder);
  const loss = findEmbeddedLoss(folder, print);
  if (loss && !onLoss) throw loss;
  const logPath = folder.file('log.sqlite');
  const vault = openSqliteVault({
    folder: folder.path,
    masterKey: SVC_ENCRYPTION_KEY,
    newMasterKey: SVC_ENCRYPTION_KEY_NEW,
    // A new vault would have none of the keys of what the log has sealed.
    mayCreate: !hasEvents(logPath),
  });
  if (loss) continueAfterLastEvent(logPath);
  const mark = { path: folder.file(MARK_FILES.log), isPruned: false };
  const journal = journalFaults(faults, logPath);
  const sqlite = await createSqliteEventLog({
    path: logPath,
    node: folder.node,
    archivePath: archivePathOf(logPath),
    onJournalFault: journal.onJournalFault,
    // Until a loss is recorded in the log, the mark must go on proving it.
    ...(!onLoss && { mark, onMarkFailure: markFaults(faults, mark.path) }),
  });
  if (loss) onLoss?.({ of: 'log', error: loss });
  const watch = watchDataFolder({ folder, files: [logPath, folder.file('vault.sqlite')], faults });
  const keyWatch =
    SVC_ENCRYPTION_KEY === undefined ? watchMasterKey({ path: folder.file('master.key'), faults }) : undefined;
  const log = watchAppends(reportRejectedAppends(sqlite, { print, faults, subject: logPath }), {
    faults,
    path: logPath,
    refusal: () => watch.refusal ?? journal.refusal,
    onAppended,
  });
  return {
    name: 'embedded',
    log,
    vault: reportVaultFailures(vault, { path: folder.file('vault.sqlite'), report }),
    logPath,
    isFailing: log.isFailing,
    checkIdle: log.checkIdle,
    isCopyWritten: () => true,
    outbox: undefined,
    archiving: { removeRows: sqlite.removeRows, restoreRows: sqlite.restoreRows },
    leases: undefined,
    checkpoints: undefined,
    cutOffSince: undefined,
    retryWhileUnavailable: (work) => work(),
    async close() {
      watch.stop();
      keyWatch?.stop();
      await log.close();
      vault.close();
    },
  };
}

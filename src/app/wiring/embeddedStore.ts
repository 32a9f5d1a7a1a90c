import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import { reportRejectedAppends } from '../../eventLog/reportRejectedAppends.ts';
import { createSqliteEventLog } from '../../eventLog/sqlite/sqliteEventLog.ts';
import { openSqliteVault } from '../../vault/sqliteVault.ts';
import type { Config } from '../config/config.ts';
import type { Store, StoreIo } from './store.ts';

/** Everything in the data folder, for a single node. @throws when a file cannot be opened, with what to do */
export async function openEmbeddedStore(
  { SVC_ENCRYPTION_KEY }: Config,
  folder: DataFolder,
  { print }: Pick<StoreIo, 'print'>,
): Promise<Store> {
  const vault = openSqliteVault({ folder: folder.path, masterKey: SVC_ENCRYPTION_KEY });
  const logPath = folder.file('log.sqlite');
  const log = reportRejectedAppends(await createSqliteEventLog({ path: logPath, node: folder.node }), { print });
  return {
    name: 'embedded',
    log,
    vault,
    logPath,
    files: [logPath, folder.file('vault.sqlite')],
    outbox: undefined,
    leases: undefined,
    cutOffSince: undefined,
    retryWhileUnavailable: (work) => work(),
    async close() {
      await log.close();
      vault.close();
    },
  };
}

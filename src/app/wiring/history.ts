import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import type { HistoryTarget } from '../../eventLog/transfer/history.ts';
import type { Print } from '../../lib/log/line.ts';
import type { Config } from '../config/config.ts';

/**
 * Opens the history in the store that the configuration names.
 * @param onlyReads whether nothing will be written
 * @throws when it cannot be used, with what to do
 */
export async function openHistory(
  { SVC_EVENTSTORE_URL: url, SVC_ENCRYPTION_KEY: masterKey }: Config,
  folder: DataFolder,
  print: Print,
  onlyReads = false,
): Promise<HistoryTarget> {
  if (url !== undefined) {
    const { openEventStoreHistory } = await import('../../eventLog/transfer/eventStoreHistory.ts');
    return openEventStoreHistory({ url, masterKey, folder, print, onlyReads });
  }
  const { openSqliteHistory } = await import('../../eventLog/transfer/sqliteHistory.ts');
  return openSqliteHistory(folder, masterKey);
}

import type { DataFolder } from '../../eventLog/dataFolder.ts';
import type { HistoryTarget } from '../../eventLog/transfer/history.ts';
import type { Config } from '../config/config.ts';

/** The history in the store that the configuration names. @throws when it cannot be used, with what to do */
export async function openHistory(
  { SVC_EVENTSTORE_URL: url, SVC_ENCRYPTION_KEY: masterKey }: Config,
  folder: DataFolder,
  say: (line: string) => void,
): Promise<HistoryTarget> {
  if (url !== undefined) {
    const { openSharedHistory } = await import('../../eventLog/transfer/sharedHistory.ts');
    return openSharedHistory({ url, masterKey, folder, say });
  }
  const { openEmbeddedHistory } = await import('../../eventLog/transfer/embeddedHistory.ts');
  return openEmbeddedHistory(folder, masterKey);
}

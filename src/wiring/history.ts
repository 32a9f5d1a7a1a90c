import type { Config } from '../config.ts';
import type { DataFolder } from '../log/dataFolder.ts';
import type { HistoryTarget } from '../transfer/history.ts';

/** The history in the store that the configuration names. @throws when it cannot be used, with what to do */
export async function openHistory(
  { SVC_EVENTSTORE_URL: url, SVC_ENCRYPTION_KEY: masterKey }: Config,
  folder: DataFolder,
  say: (line: string) => void,
): Promise<HistoryTarget> {
  if (url !== undefined) {
    const { openSharedHistory } = await import('../transfer/sharedHistory.ts');
    return openSharedHistory({ url, masterKey, folder, say });
  }
  const { openEmbeddedHistory } = await import('../transfer/embeddedHistory.ts');
  return openEmbeddedHistory(folder, masterKey);
}

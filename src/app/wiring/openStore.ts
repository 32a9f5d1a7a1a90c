import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import type { Config } from '../config/config.ts';
import { openEmbeddedStore } from './embeddedStore.ts';
import type { OnLoss } from './knownLog.ts';
import type { Store, StoreIo } from './store.ts';

/**
 * Opens the store that the configuration names.
 * @param onLoss called with each loss of events that is found; without it, such a store is not opened
 * @throws when it cannot be used, with what to do
 */
export async function openStore(config: Config, folder: DataFolder, io: StoreIo, onLoss?: OnLoss): Promise<Store> {
  if (config.SVC_EVENTSTORE_URL === undefined) return openEmbeddedStore(config, folder, io, onLoss);
  // Imported on demand: loading the EventStoreDB client takes a fifth of the start-up time.
  const { openSharedStore } = await import('./sharedStore.ts');
  return openSharedStore(config, folder, io, onLoss);
}

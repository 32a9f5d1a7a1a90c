import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import type { Instant } from '../../domain/core/brands.ts';
import type { EventLog } from '../../eventLog/eventLog.ts';
import type { LeaseStreams } from '../../eventLog/leaseStreams.ts';
import type { Outbox } from '../../eventLog/outbox/outbox.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Config } from '../config/config.ts';
import { openEmbeddedStore } from './embeddedStore.ts';
import type { EventStoreIo } from './eventStore.ts';

/** Where events live, and what comes with it. */
export interface Store {
  readonly name: 'embedded' | 'eventstore';
  readonly log: EventLog;
  readonly vault: Vault;
  /** A SQLite file that has every event at its position: what reads the whole log reads it from there. */
  readonly logPath: string;
  /** Keeps what this node writes in streams of its own while the store is away; undefined where it cannot be. */
  readonly outbox: Outbox | undefined;
  /** Shares out what only one node may do; undefined where there is one node. */
  readonly leases: LeaseStreams | undefined;
  /** Since when this node hears nothing from the store. */
  readonly cutOffSince: Instant | undefined;
  /** Does what a start needs of a server until it succeeds, with a line for each attempt. @throws what no waiting mends */
  retryWhileUnavailable<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** The one that the configuration names. @throws when it cannot be used, with what to do */
export async function openStore(config: Config, folder: DataFolder, io: EventStoreIo): Promise<Store> {
  if (config.SVC_EVENTSTORE_URL === undefined) return openEmbeddedStore(config, folder, io);
  // Its client is only for those who use it: it takes a fifth of a start.
  const { openEventStoreStore } = await import('./eventStore.ts');
  return openEventStoreStore(config, folder, io);
}

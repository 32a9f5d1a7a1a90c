import type { ArchiveHost } from '../../archive/archiveHost.ts';
import type { Instant } from '../../domain/core/brands.ts';
import type { CheckpointStream } from '../../eventLog/checkpointStream.ts';
import type { EventLog } from '../../eventLog/eventLog.ts';
import type { LeaseStreams } from '../../eventLog/leaseStreams.ts';
import type { Outbox } from '../../eventLog/outbox/outbox.ts';
import type { Faults } from '../../lib/faults.ts';
import type { Print } from '../../lib/log/line.ts';
import type { Vault } from '../../vault/vault.ts';

export interface StoreIo {
  /** Writes one line for the operator. */
  readonly print: Print;
  /** Reports an unexpected error to the operator. */
  readonly report: (error: unknown) => void;
  /** What is wrong at the moment, for the operator. */
  readonly faults: Faults;
  /** Called with how long each append took that was committed to the file of this node, and how many events it had. */
  readonly onAppended?: (durationMs: number, events: number) => void;
}

/** The event log with its vault, and what a store that several nodes share needs in addition. */
export interface Store {
  readonly name: 'embedded' | 'eventstore';
  readonly log: EventLog;
  readonly vault: Vault;
  /** A SQLite file with every event at its position, from which the whole log is read. */
  readonly logPath: string;
  /** Whether what is recorded now would not be known to be durable in the data folder. */
  readonly isFailing: () => boolean;
  /** Makes sure that `isFailing` holds for now, also if nothing has been recorded for a while. */
  readonly checkIdle: () => Promise<void>;
  /** Whether this node can follow the log of a store that is reached: its copy of it can be written. */
  readonly isCopyWritten: () => boolean;
  /** Keeps what this node writes to its own streams while the store is unreachable; undefined when embedded. */
  readonly outbox: Outbox | undefined;
  /** What archiving days needs: to remove and restore rows, or the streams of a shared store. */
  readonly archiving: Pick<ArchiveHost, 'removeRows' | 'restoreRows' | 'shared'>;
  /** For electing the leader of tasks that only one node may run; undefined when embedded. */
  readonly leases: LeaseStreams | undefined;
  /** Signed checkpoints that nodes share; undefined when embedded. */
  readonly checkpoints: CheckpointStream | undefined;
  /** When the connection to the store was lost; undefined while connected. */
  readonly cutOffSince: Instant | undefined;
  /** Retries work that needs the store's server, and prints a line per attempt. @throws errors that waiting does not resolve */
  retryWhileUnavailable<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

import type { Instant } from '../../domain/core/brands.ts';
import type { EventLog } from '../../eventLog/eventLog.ts';
import type { LeaseStreams } from '../../eventLog/leaseStreams.ts';
import type { Outbox } from '../../eventLog/outbox/outbox.ts';
import type { Vault } from '../../vault/vault.ts';

export interface StoreIo {
  /** Writes one line for the operator. */
  readonly say: (line: string) => void;
  /** Reports an unexpected error to the operator. */
  readonly report: (error: unknown) => void;
}

/** The event log with its vault, and what a store that several nodes share needs in addition. */
export interface Store {
  readonly name: 'embedded' | 'eventstore';
  readonly log: EventLog;
  readonly vault: Vault;
  /** A SQLite file with every event at its position, from which the whole log is read. */
  readonly logPath: string;
  /** Keeps what this node writes to its own streams while the store is unreachable; undefined when embedded. */
  readonly outbox: Outbox | undefined;
  /** Elect the node that does what only one may do; undefined where there is only one node. */
  readonly leases: LeaseStreams | undefined;
  /** When the connection to the store was lost; undefined while there is one. */
  readonly cutOffSince: Instant | undefined;
  /** Retries work that needs the store's server, with a line per attempt. @throws errors that waiting does not resolve */
  retryWhileUnavailable<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

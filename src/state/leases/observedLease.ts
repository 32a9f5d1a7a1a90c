import type { LeaseEntry } from '../../eventLog/leaseStreams.ts';

/** What a node has seen of a lease. Times are milliseconds of its monotonic clock. */
export interface ObservedLease {
  readonly revision: number;
  readonly entry: LeaseEntry | undefined;
  /** When this node first saw the entry. */
  readonly seenAt: number;
  /** The entry was there when this run of the node first read the stream. */
  readonly isFromPreviousRun: boolean;
}

/** How far the clock of a waiting node may run ahead of the holder's within one time to live. */
const CLOCK_MARGIN_MS = 1_000;

/** How long to wait at `now` before this run of the node may take the lease; at most 0 when it may take it now. */
export function waitMs(
  { entry, seenAt, isFromPreviousRun }: ObservedLease,
  { node, boot }: Pick<LeaseEntry, 'node' | 'boot'>,
  now: number,
): number {
  if (!entry || entry.type === 'LeaseReleased' || entry.boot === boot) return 0;
  // A data folder has one running node at a time, so an earlier run is dead. A later one runs in a copy of the folder.
  if (entry.node === node && isFromPreviousRun) return 0;
  return seenAt + entry.ttlMs + CLOCK_MARGIN_MS - now;
}

/** The node that holds the lease according to the last entry seen. */
export const holderOf = (seen: ObservedLease | undefined): string | undefined =>
  seen?.entry?.type === 'LeaseReleased' ? undefined : seen?.entry?.node;

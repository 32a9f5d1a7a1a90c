import type { LeaseEntry } from '../../eventLog/leaseStreams.ts';

/** What a node has seen of a lease. Times are milliseconds of its clock that does not jump. */
export interface ObservedLease {
  readonly revision: number;
  readonly entry: LeaseEntry | undefined;
  /** When this node saw it first. */
  readonly since: number;
  /** It stood there before this start of the node had looked or written. */
  readonly isOfBefore: boolean;
}

/** By how much the clock of whoever waits may run faster than that of the holder within one time to live. */
const MARGIN_MS = 1_000;

/** How long others still have it at `now`; at most 0 when this start of the node may take it. */
export function waitMs(
  { entry, since, isOfBefore }: ObservedLease,
  { node, boot }: Pick<LeaseEntry, 'node' | 'boot'>,
  now: number,
): number {
  if (!entry || entry.type === 'LeaseReleased' || entry.boot === boot) return 0;
  // An earlier start of this node is dead, there is one at a time in a data folder. A later one works in a copy of it.
  if (entry.node === node && isOfBefore) return 0;
  return since + entry.ttlMs + MARGIN_MS - now;
}

/** The node that holds it by what was seen last. */
export const holderOf = (seen: ObservedLease | undefined): string | undefined =>
  seen?.entry?.type === 'LeaseReleased' ? undefined : seen?.entry?.node;

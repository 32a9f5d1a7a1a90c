/** An entry of a lease stream: the lease was taken, renewed or released. */
export interface LeaseEntry {
  /** A UUID; appending an entry with the same id again writes nothing. */
  readonly id: string;
  readonly type: 'LeaseTaken' | 'LeaseRenewed' | 'LeaseReleased';
  /** Increases by one whenever the lease is taken. */
  readonly epoch: number;
  readonly node: string;
  /** Boot id of the node that wrote the entry. */
  readonly boot: string;
  /** The lease expires after this time unless it is renewed. */
  readonly ttlMs: number;
  /** Of leases of nodes: what the clock of the node showed when it sent the entry. */
  readonly time?: number;
  /** Of leases of nodes: limits of the node do not follow its clock. */
  readonly isClockHeld?: boolean;
}

export type LeaseOutcome =
  | { readonly kind: 'committed' | 'conflict' }
  | { readonly kind: 'rejected'; readonly reason: string }
  /** The append may be repeated with the same id and the same revision. */
  | { readonly kind: 'unknown'; readonly error: Error };

/**
 * Port for the streams `lease-<name>` (docs/decisions/0015-leases.md). They have no positions and no hashes: renewals
 * every few seconds would soon be most of the log, and no fold needs them. Only the last entry of a stream counts.
 */
export interface LeaseStreams {
  /** The last entry; undefined if the lease was never taken. @throws when the store is unreachable */
  readLast(name: string): Promise<{ readonly revision: number; readonly entry: LeaseEntry } | undefined>;
  /**
   * Appends after exactly this revision; -1 for the first entry. One of two concurrent appends gets a conflict. Never
   * rejects.
   */
  append(name: string, expectedRevision: number, entry: LeaseEntry): Promise<LeaseOutcome>;
  /**
   * Calls the listener with the entries of the leases `node-<name>`: first the last one of each, as far as this node has read
   * the store, then each new one. They come in the order in which the store has them, and not at all while it is unreachable.
   * One listener at a time.
   */
  followNodes(listener: (entry: LeaseEntry) => void): void;
}

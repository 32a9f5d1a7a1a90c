/** A sign of life of whoever holds a lease, or its end. */
export interface LeaseEntry {
  /** A UUID: a repeated append of the same entry is one append. */
  readonly id: string;
  readonly type: 'LeaseTaken' | 'LeaseRenewed' | 'LeaseReleased';
  /** Grows by one whenever the lease is taken. */
  readonly epoch: number;
  readonly node: string;
  /** The start of the node that wrote it. */
  readonly boot: string;
  /** For so long it holds without another sign of life. */
  readonly ttlMs: number;
}

export type LeaseOutcome =
  | { readonly kind: 'committed' | 'conflict' }
  | { readonly kind: 'rejected'; readonly reason: string }
  /** May be repeated with the same id and the same revision. */
  | { readonly kind: 'unknown'; readonly error: Error };

/**
 * The streams `lease-<name>`, outside positions and hashes: a sign of life every few seconds is nothing that anybody
 * would look up or fold later, and would soon be most of the log. Only the last entry of a stream counts.
 */
export interface LeaseStreams {
  /** The last entry; undefined when nobody ever held it. @throws when the store cannot be asked */
  last(name: string): Promise<{ readonly revision: number; readonly entry: LeaseEntry } | undefined>;
  /** Appends behind exactly this revision, -1 before the first. Of two who try, one gets a conflict. Never rejects. */
  append(name: string, expectedRevision: number, entry: LeaseEntry): Promise<LeaseOutcome>;
}

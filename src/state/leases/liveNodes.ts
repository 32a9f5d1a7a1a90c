import type { LeaseEntry } from '../../eventLog/leaseStreams.ts';

export interface LiveNodesOptions {
  readonly node: string;
  readonly boot: string;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Called when another node starts: it does not know this one until it reads an entry of it. */
  readonly onNewcomer?: () => void;
}

interface OtherNode {
  readonly node: string;
  readonly ttlMs: number;
  /** How long this node has been in contact with the store since it read the last entry of the other one. */
  absentMs: number;
}

/**
 * The nodes that share the store, by their leases `node-<name>`. Time counts only while this node's own entries come back
 * from the store: while the store is away, no node is missed or takes the share of another one. No clocks are
 * compared.
 */
export class LiveNodes {
  readonly #options: LiveNodesOptions;
  /** By boot id: two processes on copies of one data folder are two nodes. */
  readonly #others = new Map<string, OtherNode>();
  readonly #sentAt = new Map<string, number>();
  #lastSentAt: number | undefined;

  constructor(options: LiveNodesOptions) {
    this.#options = options;
  }

  /** The number of live nodes, this one included. */
  get count(): number {
    return this.#others.size + 1;
  }

  /** Names of the live nodes, this one first. */
  get names(): string[] {
    return [this.#options.node, ...[...this.#others.values()].map(({ node }) => node).sort()];
  }

  /** Whether an entry of this start has come back, so that every node that reads the store knows of it. */
  get isKnown(): boolean {
    return this.#lastSentAt !== undefined;
  }

  /** Called when this node sends an entry for the first time. */
  onSend({ id, ttlMs }: LeaseEntry): void {
    const now = this.#options.now();
    // An entry that has not come back for so long was never written.
    for (const [other, sentAt] of this.#sentAt) if (sentAt + 10 * ttlMs < now) this.#sentAt.delete(other);
    this.#sentAt.set(id, now);
  }

  /** Called with each entry of the leases of nodes, in the order of the store. */
  onEntry(entry: LeaseEntry): void {
    if (entry.boot === this.#options.boot) this.#onOwnEntry(entry);
    // An earlier start of this node: a data folder has one running node at a time.
    else if (entry.node !== this.#options.node || this.isKnown) this.#onOtherEntry(entry);
  }

  #onOwnEntry({ id, ttlMs }: LeaseEntry): void {
    const sentAt = this.#sentAt.get(id);
    if (sentAt === undefined) return;
    this.#sentAt.delete(id);
    // After an outage the entries of all nodes arrive one after the other, so the outage counts as one interval.
    const elapsedMs = Math.min(sentAt - (this.#lastSentAt ?? sentAt), renewEveryMs(ttlMs));
    this.#lastSentAt = sentAt;
    for (const [boot, other] of this.#others) {
      other.absentMs += elapsedMs;
      if (other.absentMs > other.ttlMs) this.#others.delete(boot);
    }
  }

  #onOtherEntry({ type, node, boot, ttlMs }: LeaseEntry): void {
    if (type === 'LeaseReleased') {
      this.#others.delete(boot);
      return;
    }
    const isNew = !this.#others.has(boot);
    if (type === 'LeaseTaken') {
      for (const [earlier, other] of this.#others) if (other.node === node) this.#others.delete(earlier);
    }
    this.#others.set(boot, { node, ttlMs, absentMs: 0 });
    if (isNew && this.isKnown) this.#options.onNewcomer?.();
  }
}

/** How often an entry is renewed: two may be lost before the others miss the node. */
export const renewEveryMs = (ttlMs: number): number => ttlMs / 3;

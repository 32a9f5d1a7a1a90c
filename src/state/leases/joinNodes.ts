import { newEventId } from '../../eventLog/eventId.ts';
import { NO_STREAM } from '../../eventLog/eventLog.ts';
import type { LeaseEntry, LeaseStreams } from '../../eventLog/leaseStreams.ts';
import { NODE_LEASE } from '../../eventLog/sideStreams.ts';
import { sleep } from '../../lib/sleep.ts';
import { appendLeaseEntry } from './appendLeaseEntry.ts';
import { LiveNodes, renewEveryMs } from './liveNodes.ts';

export interface JoinNodesOptions {
  readonly streams: LeaseStreams;
  readonly node: string;
  readonly boot: string;
  /** Called with every refusal of the store to take an entry of this node. */
  readonly onRefused: (error: Error) => void;
  /** Called with every entry that was written. */
  readonly onWritten: () => void;
  /** The clock of this node, which is compared with those of the others. */
  readonly clock?: ComparedClock;
  readonly ttlMs?: number;
}

/** A clock that nodes compare by the entries of their leases. */
export interface ComparedClock {
  /** What an entry says about it. */
  stamp(): Pick<LeaseEntry, 'time' | 'isClockHeld'>;
  /** Called with each entry of another node. */
  onEntry(entry: LeaseEntry, live: LiveNodes): void;
}

export interface JoinedNodes {
  readonly live: LiveNodes;
  /** Resolves when the other nodes know of this one, or after `timeoutMs`. */
  whenKnown(timeoutMs: number): Promise<void>;
  /** Tells the other nodes that this one is gone. */
  leave(): Promise<void>;
}

/** A node that dies or loses the store is no longer counted after this and one renewal. */
const TTL_MS = 12_000;
const RETRY_MS = 1_000;

/** Announces this node to the others that share the store, until it leaves, and follows theirs. */
export function joinNodes(options: JoinNodesOptions): JoinedNodes {
  const { streams, node, boot, onRefused, onWritten, clock, ttlMs = TTL_MS } = options;
  const name = NODE_LEASE + node;
  const stopping = new AbortController();
  const { signal } = stopping;
  let revision: number | undefined;
  let wake = new AbortController();
  const known = Promise.withResolvers<void>();
  const live = new LiveNodes({ node, boot, now: () => performance.now(), onNewcomer: () => wake.abort() });

  const entryOf = (type: LeaseEntry['type']): LeaseEntry => ({
    ...{ id: newEventId(), type, epoch: 0, node, boot, ttlMs },
    ...clock?.stamp(),
  });

  /** @returns whether the entry was written */
  async function write(type: LeaseEntry['type']): Promise<boolean> {
    revision ??= (await streams.readLast(name))?.revision ?? NO_STREAM;
    const entry = entryOf(type);
    live.onSend(entry);
    const isWritten = await appendLeaseEntry({ name, streams, ttlMs, report: onRefused }, revision, entry, signal);
    if (isWritten) onWritten();
    // Otherwise a process with the same name has written to the stream.
    revision = isWritten ? revision + 1 : undefined;
    return isWritten;
  }

  async function run(): Promise<void> {
    let type: LeaseEntry['type'] = 'LeaseTaken';
    while (!signal.aborted) {
      wake = new AbortController();
      const isWritten = await write(type).catch(() => false);
      if (isWritten) type = 'LeaseRenewed';
      await sleep(isWritten ? renewEveryMs(ttlMs) : RETRY_MS, AbortSignal.any([signal, wake.signal]));
    }
  }

  streams.followNodes((entry) => {
    live.onEntry(entry);
    if (entry.node !== node) clock?.onEntry(entry, live);
    if (live.isKnown) known.resolve();
  });
  const ended = run();
  return {
    live,
    async whenKnown(timeoutMs) {
      const timeout = new AbortController();
      await Promise.race([known.promise, sleep(timeoutMs, timeout.signal)]);
      timeout.abort();
    },
    async leave() {
      stopping.abort();
      await ended;
      if (revision !== undefined) await streams.append(name, revision, entryOf('LeaseReleased'));
    },
  };
}

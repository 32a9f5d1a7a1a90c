import { newEventId } from '../../eventLog/eventId.ts';
import { NO_STREAM } from '../../eventLog/eventLog.ts';
import type { LeaseEntry, LeaseStreams } from '../../eventLog/leaseStreams.ts';
import { sleep } from '../../lib/sleep.ts';
import { appendLeaseEntry } from './appendLeaseEntry.ts';
import type { LeaseTerm } from './leaseTerm.ts';
import { holderOf, type ObservedLease, waitMs } from './observedLease.ts';

export interface LeaseOptions {
  readonly name: string;
  readonly streams: LeaseStreams;
  readonly node: string;
  readonly boot: string;
  /**
   * Work that only one node may do. It is started with every term and must end soon after the term's signal aborts. When it
   * throws, this node waits before it takes the lease again, so that another node can.
   */
  readonly work: (term: LeaseTerm) => Promise<void>;
  /** Called with a line when this node takes the lease, and with every error. */
  readonly report: (event: string | Error) => void;
  readonly ttlMs?: number;
}

export interface Lease {
  /** The term of this node while it holds the lease. */
  readonly term: LeaseTerm | undefined;
  /** The node that holds the lease, as far as this node knows. */
  readonly holder: string | undefined;
  /** Ends the work, then releases the lease so that other nodes need not wait for it to expire. */
  stop(): Promise<void>;
}

/** A node that dies is replaced within this, the clock margin and the time of an append: well below 20 s. */
const TTL_MS = 12_000;
const RETRY_AFTER_FAILURE_MS = 5_000;

/**
 * Competes for a lease until stopped. The lease is taken, renewed and released by appends with an exact revision, so that of
 * two nodes one gets a conflict. Wall clocks play no part: the holder counts its time from before it sent the last renewal,
 * the others count from when they saw it, plus a margin, so the holder considers the lease lost first
 * (docs/decisions/0015-leases.md).
 */
export function joinLease({ name, streams, node, boot, work, report, ttlMs = TTL_MS }: LeaseOptions): Lease {
  const now = () => performance.now();
  const stopping = new AbortController();
  let lastSeen: ObservedLease | undefined;
  let term: LeaseTerm | undefined;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const delayMs = await observe().then(
        (last) => waitMs(last, { node, boot }, now()),
        () => ttlMs / 6,
      );
      if (delayMs > 0) await sleep(Math.min(delayMs, ttlMs / 6), stopping.signal);
      else await takeAndHold();
    }
  }

  async function observe(): Promise<ObservedLease> {
    const last = await streams.readLast(name);
    const revision = last?.revision ?? NO_STREAM;
    if (lastSeen?.revision !== revision)
      lastSeen = { revision, entry: last?.entry, seenAt: now(), isFromPreviousRun: !lastSeen };
    return lastSeen;
  }

  const entryOf = (type: LeaseEntry['type'], epoch: number): LeaseEntry => ({
    id: newEventId(),
    type,
    epoch,
    node,
    boot,
    ttlMs,
  });

  async function takeAndHold(): Promise<void> {
    const before = lastSeen as ObservedLease;
    const epoch = (before.entry?.epoch ?? 0) + 1;
    const taken = await write(before.revision, entryOf('LeaseTaken', epoch), stopping.signal);
    if (!taken) return;
    const from = before.entry && before.entry.node !== node ? ` from node ${before.entry.node}` : '';
    report(`the lease "${name}" is held by this node now, taken${from} (epoch ${epoch})`);
    const hasFailed = await hold(taken, epoch);
    if (hasFailed) await sleep(RETRY_AFTER_FAILURE_MS, stopping.signal);
  }

  /** Runs the work and renews the lease until either ends. @returns whether the work failed */
  async function hold(taken: Written, epoch: number): Promise<boolean> {
    let { revision, sentAt } = taken;
    let hasFailed = false;
    const ending = new AbortController();
    const end = () => ending.abort();
    const expireLater = () => setTimeout(end, sentAt + ttlMs - now()).unref();
    const signal = AbortSignal.any([stopping.signal, ending.signal]);
    term = { epoch, signal, isHeld: () => !signal.aborted && now() < sentAt + ttlMs };
    const working = work(term)
      .catch((error: Error) => {
        hasFailed = true;
        report(error);
      })
      .finally(end);
    let expiry = expireLater();

    while (!signal.aborted) {
      await sleep(sentAt + ttlMs / 3 - now(), signal);
      if (signal.aborted) break;
      const renewed = await write(revision, entryOf('LeaseRenewed', epoch), signal);
      if (!renewed) break;
      ({ revision, sentAt } = renewed);
      clearTimeout(expiry);
      expiry = expireLater();
    }
    end();
    clearTimeout(expiry);
    await working;
    term = undefined;
    if (hasFailed || stopping.signal.aborted) await streams.append(name, revision, entryOf('LeaseReleased', epoch));
    return hasFailed;
  }

  /** @returns undefined when the entry was not written */
  async function write(expected: number, entry: LeaseEntry, signal: AbortSignal): Promise<Written | undefined> {
    const sentAt = now();
    const isWritten = await appendLeaseEntry({ name, streams, ttlMs, report }, expected, entry, signal);
    if (!isWritten) return undefined;
    const revision = expected + 1;
    lastSeen = { revision, entry, seenAt: now(), isFromPreviousRun: false };
    return { revision, sentAt };
  }

  const ended = run();
  return {
    get term() {
      return term;
    },
    get holder() {
      return term ? node : holderOf(lastSeen);
    },
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

interface Written {
  readonly revision: number;
  /** Before the first attempt: the entry may have taken effect from then on. */
  readonly sentAt: number;
}

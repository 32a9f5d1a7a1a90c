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
   * What only one node may do. Begun with every tenure; ends soon after its signal. When it throws, the others get their
   * chance before this node tries again.
   */
  readonly work: (tenure: LeaseTerm) => Promise<void>;
  /** Told when the lease changes hands to this node, and what went wrong. */
  readonly report: (what: string | Error) => void;
  readonly ttlMs?: number;
}

export interface Lease {
  /** The tenure of this node, while it has one. */
  readonly tenure: LeaseTerm | undefined;
  /** The node that holds it, as far as this one knows. */
  readonly holder: string | undefined;
  /** Ends the work, then gives the lease back so that nobody has to wait for its end. */
  stop(): Promise<void>;
}

/** A node that dies is replaced within this, the margin, and a moment for the append: well below 20 s. */
const TTL_MS = 12_000;
const AFTER_FAILURE_MS = 5_000;

/**
 * Takes part in a lease: an exact-revision append to its stream is what takes, renews and releases it, so that of two
 * nodes one gets a conflict. No node's time of day matters. The holder counts from before it sent its last sign of life;
 * the others from when they saw it, and longer: so the holder always believes to have lost it first.
 */
export function takePartInLease({ name, streams, node, boot, work, report, ttlMs = TTL_MS }: LeaseOptions): Lease {
  const now = () => performance.now();
  const stopping = new AbortController();
  let seen: ObservedLease | undefined;
  let tenure: LeaseTerm | undefined;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const inMs = await look().then(
        (last) => waitMs(last, { node, boot }, now()),
        () => ttlMs / 6,
      );
      if (inMs > 0) await sleep(Math.min(inMs, ttlMs / 6), stopping.signal);
      else await takeAndHold();
    }
  }

  async function look(): Promise<ObservedLease> {
    const last = await streams.last(name);
    const revision = last?.revision ?? NO_STREAM;
    if (seen?.revision !== revision) seen = { revision, entry: last?.entry, since: now(), isOfBefore: !seen };
    return seen;
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
    const before = seen as ObservedLease;
    const epoch = (before.entry?.epoch ?? 0) + 1;
    const taken = await write(before.revision, entryOf('LeaseTaken', epoch), stopping.signal);
    if (!taken) return;
    const from = before.entry && before.entry.node !== node ? ` from node ${before.entry.node}` : '';
    report(`the lease "${name}" is held by this node now, taken${from} (epoch ${epoch})`);
    const hasFailed = await hold(taken, epoch);
    if (hasFailed) await sleep(AFTER_FAILURE_MS, stopping.signal);
  }

  /** Works while the lease can be renewed. @returns whether the work failed by itself */
  async function hold(taken: Written, epoch: number): Promise<boolean> {
    let { revision, sentAt } = taken;
    let hasFailed = false;
    const ending = new AbortController();
    const end = () => ending.abort();
    const expireLater = () => setTimeout(end, sentAt + ttlMs - now()).unref();
    const signal = AbortSignal.any([stopping.signal, ending.signal]);
    tenure = { epoch, signal, isHeld: () => !signal.aborted && now() < sentAt + ttlMs };
    const working = work(tenure)
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
    tenure = undefined;
    if (hasFailed || stopping.signal.aborted) await streams.append(name, revision, entryOf('LeaseReleased', epoch));
    return hasFailed;
  }

  /** @returns undefined when it was not written */
  async function write(expected: number, entry: LeaseEntry, signal: AbortSignal): Promise<Written | undefined> {
    const sentAt = now();
    const isWritten = await appendLeaseEntry({ name, streams, ttlMs, report }, expected, entry, signal);
    if (!isWritten) return undefined;
    const revision = expected + 1;
    seen = { revision, entry, since: now(), isOfBefore: false };
    return { revision, sentAt };
  }

  const ended = run();
  return {
    get tenure() {
      return tenure;
    },
    get holder() {
      return tenure ? node : holderOf(seen);
    },
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

interface Written {
  readonly revision: number;
  /** Before the first attempt: from then on it may have counted. */
  readonly sentAt: number;
}

import type { LeaseStreams } from '../../eventLog/leaseStreams.ts';
import { joinLease } from './lease.ts';

export interface WithLeaseOptions {
  readonly name: string;
  readonly streams: LeaseStreams;
  readonly node: string;
  readonly boot: string;
  readonly report: (event: string | Error) => void;
  /** How long another node may hold the lease before this one gives up; longer than a lease outlives its node. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Another node holds the lease. */
export class LeaseHeld extends Error {
  override readonly name = 'LeaseHeld';
  readonly holder: string | undefined;
  constructor(lease: string, holder: string | undefined) {
    super(`The lease "${lease}" is held by ${holder ?? 'another node'}.`);
    this.holder = holder;
  }
}

const WAIT_MS = 20_000;

/**
 * Does work once, while this node holds a lease.
 * @param work its signal aborts when the lease is lost
 * @throws LeaseHeld, and what the work throws
 */
export async function withLease<Result>(
  { name, streams, node, boot, report, waitMs = WAIT_MS, signal }: WithLeaseOptions,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const result = Promise.withResolvers<Result>();
  let hasBegun = false;
  let timer: NodeJS.Timeout | undefined;
  const lease = joinLease({
    name,
    streams,
    node,
    boot,
    report,
    async work(term) {
      if (hasBegun) return;
      hasBegun = true;
      clearTimeout(timer);
      await work(term.signal).then(result.resolve, result.reject);
    },
  });
  const onAbort = () => result.reject(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  timer = setTimeout(() => {
    if (!hasBegun) result.reject(new LeaseHeld(name, lease.holder));
  }, waitMs);
  try {
    return await result.promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    await lease.stop();
  }
}

import { type AllStreamRecordedEvent, type AllStreamSubscription, START } from '@eventstore/db-client';
import { sleep } from '../../../lib/sleep.ts';
import { disposeClient, type EventStoreClient } from '../client/client.ts';
import { describeError, isFailedDiscovery } from '../client/failures.ts';
import { compareNative, type NativePosition } from '../client/nativePosition.ts';
import { headOf } from '../client/reads.ts';
import type { ResumeMark } from './mirrorWriter.ts';
import { findResumePoint, LogReplaced } from './resumePoint.ts';

export interface FollowAllOptions {
  readonly newClient: () => EventStoreClient;
  /** Where to go on, the latest first; none for the beginning. */
  readonly marks: () => readonly ResumeMark[];
  /** Told where it goes on: everything up to there was handled before. */
  readonly onResumed: (from: NativePosition) => void;
  /** Takes events in order; what it has taken is never brought again. */
  readonly handle: (batch: readonly AllStreamRecordedEvent[]) => void;
  /** Told when events can come, and why they cannot. */
  readonly onConnected: () => void;
  readonly onDropped: (reason: string) => void;
  readonly signal: AbortSignal;
  readonly timing?: Partial<FollowTiming>;
}

export interface FollowTiming {
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** So long a subscription must have lasted for the pauses to start over. */
  readonly healthyAfterMs: number;
  /** After so much silence the head of the log is looked at. */
  readonly silenceMs: number;
  /** So long the store must lack what it had: a member of a cluster may only be behind. */
  readonly replacedAfterMs: number;
}

const TIMING: FollowTiming = {
  firstPauseMs: 100,
  longestPauseMs: 5_000,
  healthyAfterMs: 30_000,
  silenceMs: 30_000,
  replacedAfterMs: 5_000,
};
const GROWTH = 1.5;
const MAX_FAILURES = 5;
/** Read ahead by the client. */
const READ_AHEAD = 512;
/** What comes thick and fast is handled together: each time costs as much as many events. What comes alone hardly waits. */
const LIVE: Gathering = { most: 512, forMs: 5 };
const BUSY: Gathering = { most: 512, forMs: 20 };
/** A batch of so many was no coincidence. */
const MANY = 8;
/** The rest of one append arrives within this. */
const REST_OF_APPEND_MS = 1;
/** What stood there before nobody waits for one by one. */
const CATCHING_UP: Gathering = { most: 4_096, forMs: 200 };
const UNSUBSCRIBE_MS = 1_000;

/**
 * Follows `$all` until it is told to stop, whatever becomes of the server: subscriptions of the client never resume by
 * themselves, and one that the server ends in order ends without an error (event-sourcing.md B1.5, B1.9).
 * @throws LogReplaced when the store does not hold what was handled before
 */
export async function followAll(options: FollowAllOptions): Promise<void> {
  const { newClient, marks, onDropped, signal } = options;
  const timing = { ...TIMING, ...options.timing };
  let client = newClient();
  let failures = 0;
  let pauseMs = timing.firstPauseMs;
  let replacedSince: number | undefined;
  try {
    while (!signal.aborted) {
      const startedAt = performance.now();
      let reason = 'EventStoreDB ended the subscription';
      try {
        const from = await findResumePoint(client, marks());
        replacedSince = undefined;
        // Looking took a while, and whoever is told to stop is not told a second time.
        if (signal.aborted) return;
        if (from) options.onResumed(from);
        await followFrom(client, from, options, timing);
      } catch (error) {
        if (error instanceof LogReplaced) {
          replacedSince ??= startedAt;
          if (performance.now() - replacedSince >= timing.replacedAfterMs) throw error;
        }
        reason = describeError(error);
        failures += 1;
        if (failures >= MAX_FAILURES || isFailedDiscovery(error)) {
          failures = 0;
          void disposeClient(client);
          client = newClient();
        }
      }
      if (signal.aborted) return;
      onDropped(reason);
      if (performance.now() - startedAt > timing.healthyAfterMs) pauseMs = timing.firstPauseMs;
      await sleep(pauseMs * (0.8 + 0.4 * Math.random()), signal);
      pauseMs = Math.min(pauseMs * GROWTH, timing.longestPauseMs);
    }
  } finally {
    await disposeClient(client);
  }
}

interface Gathering {
  readonly most: number;
  readonly forMs: number;
}

/** One subscription, until it ends in whatever way. */
async function followFrom(
  client: EventStoreClient,
  from: NativePosition | undefined,
  { handle, onConnected, signal }: FollowAllOptions,
  { silenceMs }: FollowTiming,
): Promise<void> {
  const subscription = client.subscribeToAll({ fromPosition: from ?? START }, { highWaterMark: READ_AHEAD });
  let lastMessageAt = performance.now();
  let last = from;
  // Before anything else: without a listener an error here ends the process.
  subscription.on('error', () => {});
  subscription.on('confirmation', onConnected);
  const drop = () => subscription.destroy();
  signal.addEventListener('abort', drop, { once: true });
  const watch = setInterval(async () => {
    const silentSince = lastMessageAt;
    if (performance.now() - silentSince < silenceMs) return;
    const head = await headOf(client).catch(() => undefined);
    if (lastMessageAt !== silentSince || subscription.readableLength > 0) return;
    if (head && (!last || compareNative(last, head) < 0))
      subscription.destroy(new Error('it does not send what it has'));
    lastMessageAt = performance.now();
  }, silenceMs / 2);

  let batch: AllStreamRecordedEvent[] = [];
  let gathering = CATCHING_UP;
  let gathered: NodeJS.Timeout | undefined;
  let handledAt = Number.NEGATIVE_INFINITY;
  const handleBatch = () => {
    clearTimeout(gathered);
    gathered = undefined;
    const events = batch;
    batch = [];
    if (gathering !== CATCHING_UP) gathering = events.length > MANY ? BUSY : LIVE;
    handle(events);
    handledAt = performance.now();
  };
  const handleLate = () => {
    try {
      handleBatch();
    } catch (error) {
      subscription.destroy(error as Error);
    }
  };
  subscription.on('caughtUp', () => {
    gathering = LIVE;
    if (batch.length > 0) handleLate();
  });
  subscription.on('fellBehind', () => {
    gathering = CATCHING_UP;
  });
  try {
    for await (const { event } of subscription) {
      lastMessageAt = performance.now();
      // Once in order is enough, whatever a server repeats after a change of leaders.
      if (!event || (last && compareNative(last, event.position) >= 0)) continue;
      last = event.position;
      batch.push(event);
      const since = gathering === CATCHING_UP ? lastMessageAt : handledAt;
      if (batch.length >= gathering.most) handleBatch();
      else gathered ??= setTimeout(handleLate, Math.max(since + gathering.forMs - lastMessageAt, REST_OF_APPEND_MS));
    }
  } finally {
    clearInterval(watch);
    clearTimeout(gathered);
    signal.removeEventListener('abort', drop);
    await endCall(subscription);
    // Otherwise a server that ends every subscription soon would be read from the same place for ever.
    if (batch.length > 0) handleBatch();
  }
}

/** Leaving the loop ends the local stream only; the server would go on sending (B1.5). */
async function endCall(subscription: AllStreamSubscription): Promise<void> {
  const patience = new AbortController();
  // The call may never have come about.
  await Promise.race([subscription.unsubscribe().catch(() => {}), sleep(UNSUBSCRIBE_MS, patience.signal)]);
  patience.abort();
  subscription.destroy();
}

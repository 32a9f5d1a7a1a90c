import { convertToCommandError } from '@eventstore/db-client';
import { collectGarbage, MIN_EVENTS_FOR_COLLECTION } from '../../../lib/collectGarbage.ts';
import { sleep } from '../../../lib/sleep.ts';
import { SegmentUnreadable } from '../../archive/segmentStreams.ts';
import { type AllSubscription, disposeClient, type EventStoreClient } from '../client/client.ts';
import { describeError, isFailedDiscovery } from '../client/failures.ts';
import { compareNative, type NativePosition } from '../client/nativePosition.ts';
import { AllEvent, type AllSignal } from '../client/readResponse.ts';
import { readHead } from '../client/reads.ts';
import { MirrorUnusable } from './mirrorUnusable.ts';
import {
  findResume,
  type KnownStore,
  LogReplaced,
  type Resume,
  type ResumeMark,
  readInstallation,
  StoreForeign,
} from './resumePoint.ts';

export interface FollowAllOptions {
  readonly newClient: () => EventStoreClient;
  /** What was read from the store before. */
  readonly known: () => KnownStore;
  /** Called with the id of the first event of the vault, when it was not known. */
  readonly onInstallation: (id: string) => void;
  /**
   * Called when the store lacks what was read from it, once this node is running: the right store may come back. Without
   * it, and at the start, `followAll` fails.
   */
  readonly onReplaced?: (error: LogReplaced) => void;
  /** Whether this node is running already, and only its thread was started again. */
  readonly isRunning?: boolean;
  /** Called with the position from which reading resumes. All events up to it have been handled. */
  readonly onResumed: (from: NativePosition) => void;
  /** Called before each subscription, once the store is confirmed: gets what it says of archived days. */
  readonly synchronise?: (client: EventStoreClient, isRunning: boolean) => Promise<void>;
  /** See `findResume`. */
  readonly kept?: () => ResumeMark | undefined;
  /** What must be done before an event is handled; undefined for nearly all events. */
  readonly prepare?: (event: AllEvent, client: EventStoreClient) => Promise<void> | undefined;
  /** Called with events in order, each only once. */
  readonly handle: (batch: readonly AllEvent[]) => void;
  /** Called when the subscription is established, and when it is lost. */
  readonly onConnected: () => void;
  readonly onDropped: (reason: string) => void;
  /** Called instead when SQLite refused what was read: the store and the connection are fine. */
  readonly onNotWritten: (error: Error) => void;
  readonly signal: AbortSignal;
  readonly timing?: Partial<FollowTiming>;
}

export interface FollowTiming {
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
  /** How long a subscription must last for the pauses to start over. */
  readonly healthyAfterMs: number;
  /** Time without a message after which the server is asked whether it is there. */
  readonly probeMs: number;
  /** How long it may take to respond. */
  readonly probeTimeoutMs: number;
  /** Time without a message after which a subscription is replaced if the log has newer events. */
  readonly silenceMs: number;
  /** How long the store must lack handled events before it counts as replaced: a cluster member may only be behind. */
  readonly replacedAfterMs: number;
}

const TIMING: FollowTiming = {
  firstPauseMs: 100,
  maxPauseMs: 5_000,
  healthyAfterMs: 30_000,
  probeMs: 1_500,
  probeTimeoutMs: 1_500,
  silenceMs: 30_000,
  replacedAfterMs: 5_000,
};
const GROWTH = 1.5;
const MAX_FAILURES = 5;
/** Bursts are handled in batches, because each batch costs as much as many events. A single event waits only 5 ms. */
const LIVE: BatchLimits = { maxEvents: 512, forMs: 5 };
const BUSY: BatchLimits = { maxEvents: 512, forMs: 20 };
/** From this batch size on, events count as a burst. */
const BUSY_BATCH_SIZE = 8;
/** Time in which the remaining events of an append arrive. */
const REST_OF_APPEND_MS = 1;
/** Old events are handled in large batches, because no request waits for them. Larger ones take memory and gain nothing. */
const CATCHING_UP: BatchLimits = { maxEvents: 256, forMs: 200 };

/**
 * Follows `$all` until `signal` is aborted, and subscribes again after each failure: the client never resumes a
 * subscription by itself, and when the server closes one normally, it ends without an error
 * (docs/stores.md#eventstoredb-subscriptions-never-resume).
 * @throws LogReplaced when the store lacks events that were handled before, unless `onReplaced` takes it
 */
export async function followAll(options: FollowAllOptions): Promise<void> {
  const { newClient, known, onDropped, onNotWritten, onReplaced, signal } = options;
  const timing = { ...TIMING, ...options.timing };
  let client = newClient();
  let failures = 0;
  let pauseMs = timing.firstPauseMs;
  let replacedSince: number | undefined;
  let { isRunning = false } = options;
  try {
    while (!signal.aborted) {
      const startedAt = performance.now();
      let reason = 'EventStoreDB ended the subscription';
      let notWritten: Error | undefined;
      try {
        const connection = await client.currentConnection();
        const store = known();
        const resume = await findResume(client, store, {
          synchronise: async () => options.synchronise?.(client, isRunning),
          kept: () => options.kept?.(),
        });
        replacedSince = undefined;
        if (store.installation === undefined) {
          const installation = await readInstallation(client);
          if (installation !== undefined && client.isCurrent(connection)) options.onInstallation(installation);
        }
        // The signal may have been aborted meanwhile.
        if (signal.aborted) return;
        if (resume.handled && resume.from) options.onResumed(resume.handled);
        const onConnected = () => {
          // Otherwise the resume point may be that of another server.
          if (!client.isCurrent(connection)) throw new Error('the connection was lost');
          isRunning = true;
          options.onConnected();
        };
        await followFrom(client, resume, { ...options, onConnected }, timing);
      } catch (error) {
        if (error instanceof MirrorUnusable || (error instanceof SegmentUnreadable && !isRunning)) throw error;
        if (error instanceof LogReplaced) {
          replacedSince ??= startedAt;
          const isCertain =
            error instanceof StoreForeign || performance.now() - replacedSince >= timing.replacedAfterMs;
          if (isCertain && (!isRunning || !onReplaced)) throw error;
          if (isCertain) onReplaced?.(error);
        }
        if (isSqliteError(error)) notWritten = error;
        reason = describeError(error);
        failures += 1;
        if (failures >= MAX_FAILURES || isFailedDiscovery(error)) {
          failures = 0;
          void disposeClient(client);
          client = newClient();
        }
      }
      if (signal.aborted) return;
      if (notWritten) onNotWritten(notWritten);
      else onDropped(reason);
      if (performance.now() - startedAt > timing.healthyAfterMs) pauseMs = timing.firstPauseMs;
      await sleep(pauseMs * (0.8 + 0.4 * Math.random()), signal);
      pauseMs = Math.min(pauseMs * GROWTH, timing.maxPauseMs);
    }
  } finally {
    await disposeClient(client);
  }
}

const isSqliteError = (error: unknown): error is Error => error instanceof Error && 'errcode' in error;

interface BatchLimits {
  readonly maxEvents: number;
  readonly forMs: number;
}

/** Runs one subscription until it ends. */
async function followFrom(
  client: EventStoreClient,
  { from, handled }: Resume,
  { handle, prepare, onConnected, signal }: FollowAllOptions,
  { probeMs, probeTimeoutMs, silenceMs }: FollowTiming,
): Promise<void> {
  const subscription = await client.subscribeAfter(from);
  // Must come first: an error without a listener ends the process.
  subscription.on('error', () => {});
  let lastMessageAt = performance.now();
  let last = handled ?? from;
  const destroy = () => subscription.destroy();
  signal.addEventListener('abort', destroy, { once: true });
  let isProbing = false;
  const probe = async () => {
    const silentSince = lastMessageAt;
    if (isProbing || performance.now() - silentSince < probeMs) return;
    isProbing = true;
    const ask = () => readHead(client, probeTimeoutMs).catch((error: Error) => error);
    let head = await ask();
    // Once more, because this process may have been stopped for a while itself.
    if (head instanceof Error) head = await ask();
    isProbing = false;
    if (lastMessageAt !== silentSince || subscription.readableLength > 0) return;
    if (head instanceof Error) {
      subscription.destroy(head);
      return;
    }
    if (performance.now() - silentSince < silenceMs) return;
    if (head && (!last || compareNative(last, head) < 0))
      subscription.destroy(new Error('the server has newer events but does not send them'));
    lastMessageAt = performance.now();
  };
  const probing = setInterval(probe, Math.min(probeMs, silenceMs / 2));

  let batch: AllEvent[] = [];
  let batching = CATCHING_UP;
  let batchTimer: NodeJS.Timeout | undefined;
  let handledAt = Number.NEGATIVE_INFINITY;
  let handledWhileBehind = 0;
  const handleBatch = () => {
    clearTimeout(batchTimer);
    batchTimer = undefined;
    const events = batch;
    batch = [];
    if (batching !== CATCHING_UP) batching = events.length > BUSY_BATCH_SIZE ? BUSY : LIVE;
    handle(events);
    handledWhileBehind += events.length;
    handledAt = performance.now();
  };
  const handleBatchFromTimer = () => {
    try {
      handleBatch();
    } catch (error) {
      subscription.destroy(error as Error);
    }
  };
  const onSignal = (signal: AllSignal) => {
    if (signal === 'confirmation') onConnected();
    else if (signal === 'caughtUp') {
      batching = LIVE;
      if (batch.length > 0) handleBatch();
      // What catching up left behind would stay for as long as the thread rests.
      if (handledWhileBehind >= MIN_EVENTS_FOR_COLLECTION) void collectGarbage();
    } else if (signal === 'fellBehind') {
      batching = CATCHING_UP;
      handledWhileBehind = 0;
    }
  };
  try {
    if (signal.aborted) return;
    for await (const event of subscription) {
      lastMessageAt = performance.now();
      if (!(event instanceof AllEvent)) {
        onSignal(event);
        continue;
      }
      // A server may repeat events after a change of leaders.
      if (last && compareNative(last, event.position) >= 0) continue;
      const preparing = prepare?.(event, client);
      if (preparing) {
        if (batch.length > 0) handleBatch();
        await preparing;
      }
      last = event.position;
      batch.push(event);
      if (batch.length >= batching.maxEvents) handleBatch();
      else if (!batchTimer) {
        const since = batching === CATCHING_UP ? lastMessageAt : handledAt;
        const waitMs = Math.max(since + batching.forMs - lastMessageAt, REST_OF_APPEND_MS);
        batchTimer = setTimeout(handleBatchFromTimer, waitMs);
      }
    }
  } catch (error) {
    throw convertToCommandError(error as never);
  } finally {
    clearInterval(probing);
    clearTimeout(batchTimer);
    signal.removeEventListener('abort', destroy);
    await endCall(subscription);
    // The connection may be the cause.
    if (!signal.aborted) client.endConnection();
    // Otherwise a server that ends each subscription early would always be read from the same position.
    if (batch.length > 0) handleBatch();
  }
}

/** Ends the call at the server too: leaving the loop ends only the local stream, and the server would keep sending. */
async function endCall(subscription: AllSubscription): Promise<void> {
  // A call that was only just made does not notice that it is cancelled.
  await new Promise(setImmediate);
  subscription.cancel();
  subscription.destroy();
}

import { position } from '../../domain/core/brands.ts';
import { EventParked } from '../../domain/outbox/events.ts';
import { sleep } from '../../lib/sleep.ts';
import { type BatchLimits, batchesByStream } from '../batchesByStream.ts';
import type { ReplicationOutcome, ReplicationTarget } from '../replicationTarget.ts';
import type { DrainListener, DrainTiming, RefusedEvents } from './drainListener.ts';
import { HeldStreams } from './heldStreams.ts';
import { endsStart, heldOfSameStart } from './nodeStops.ts';
import type { OutboxEvent, OutboxReader } from './outboxReader.ts';

export interface DrainerOptions extends DrainListener {
  readonly from: Pick<OutboxReader, 'readAll' | 'readStream' | 'readOne' | 'streamNames'>;
  readonly to: ReplicationTarget;
  /** Last revision of streams that the store has. */
  readonly drained?: ReadonlyMap<string, number>;
  readonly timing?: Partial<DrainTiming>;
}

export interface Drainer {
  /** Drains the events that were added to the log since. */
  wake(): void;
  /** Stops once everything is drained, draining is blocked, or `timeoutMs` has passed. */
  stop(timeoutMs: number): Promise<void>;
}

const TIMING: DrainTiming = { confirmMs: 60_000, probeAfterMs: 5_000, maxPauseMs: 5_000 };
/**
 * Larger appends gain little (docs/stores.md#eventstoredb-throughput), and this stays well below the store's limit
 * (docs/stores.md#eventstoredb-size-of-an-append).
 */
const MAX_PER_APPEND: BatchLimits = { events: 200, bytes: 512 * 1_024 };
/** Collects events between appends: an append costs as much as many events, and no request waits for it. */
const BETWEEN_APPENDS_MS = 20;
const FIRST_PAUSE_MS = 50;

/** What became of a batch. After `changed` the events that were read behind it must be read again. */
type Delivery = 'delivered' | 'changed';
/** What became of an append: how many of its events are in the store now, or why none is. */
type Attempt =
  | { readonly kind: 'written'; readonly count: number }
  | { readonly kind: 'smaller' }
  | { readonly kind: 'unknown'; readonly reason: string }
  /** The store takes nothing more in this stream; `differs`: it has other events there, or too few. */
  | { readonly kind: 'held'; readonly reason: string; readonly differs: boolean }
  | { readonly kind: 'refused'; readonly reason: string; readonly scope: RefusedEvents['scope'] };

/**
 * Copies the events of an outbox to another store, in order. One append is in flight and is repeated until it is known to
 * be written, so events are neither lost nor duplicated nor reordered, however often either side crashes. What the store
 * will never take is parked; a stream that it does not take now is held, and the others go on.
 */
export function startDrainer(options: DrainerOptions): Drainer {
  const { from, to, onDrained, park, onTrouble, onRecovered, onHidden, onFailure } = options;
  const { confirmMs, probeAfterMs, maxPauseMs } = { ...TIMING, ...options.timing };
  const stopping = new AbortController();
  const { signal } = stopping;
  const delivered = new Map(options.drained);
  const held = new HeldStreams({ onTrouble, onRecovered, maxPauseMs });
  let cursor = position(0);
  let limits = MAX_PER_APPEND;
  let maxBytes = MAX_PER_APPEND.bytes;
  let isBlocked = false;
  let hasNewEvents = true;
  let onWake: (() => void) | undefined;
  let isStopping = false;

  const nextRevision = (stream: string): number => (delivered.get(stream) ?? -1) + 1;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      hasNewEvents = false;
      const since = performance.now();
      await retryHeld();
      while ((await drainInOrder()) === 'changed');
      if (signal.aborted) return;
      if (!isStopping) await sleep(since + BETWEEN_APPENDS_MS - performance.now(), signal);
      if (hasNewEvents) continue;
      if (isStopping) return;
      await waitForWork();
    }
  }

  /** Waits for new events, or until a held stream is due. */
  async function waitForWork(): Promise<void> {
    const woken = Promise.withResolvers<void>();
    onWake = woken.resolve;
    const dueInMs = held.dueInMs();
    const timer = dueInMs === undefined ? undefined : setTimeout(woken.resolve, dueInMs);
    await woken.promise;
    clearTimeout(timer);
  }

  function wake(): void {
    hasNewEvents = true;
    onWake?.();
    onWake = undefined;
  }

  /** Drains all streams that are not held. */
  async function drainInOrder(): Promise<Delivery> {
    const pending = withoutDelivered(from.readAll(cursor, held.streams));
    for await (const batch of batchesByStream(pending, () => limits, sizeOf)) {
      const delivery = await deliver(batch);
      if (signal.aborted) return 'delivered';
      if (delivery === 'changed') return 'changed';
      cursor = (batch.at(-1) as OutboxEvent).position;
    }
    return 'delivered';
  }

  async function* withoutDelivered(events: AsyncIterable<OutboxEvent>): AsyncGenerator<OutboxEvent> {
    for await (const event of events) if (event.revision >= nextRevision(event.stream)) yield event;
  }

  async function deliver(batch: readonly OutboxEvent[]): Promise<Delivery> {
    const { stream } = batch[0] as OutboxEvent;
    const reason = whyStopWaits(batch);
    if (reason !== undefined) {
      held.add(stream, { reason });
      return 'changed';
    }
    let since = performance.now();
    let pauseMs = FIRST_PAUSE_MS;
    for (let rest = batch; rest.length > 0; ) {
      const events = withinLimits(rest);
      const attempt = await tryAppend(events);
      switch (attempt.kind) {
        case 'written':
          advance(events.slice(0, attempt.count));
          recover();
          rest = rest.slice(attempt.count);
          since = performance.now();
          pauseMs = FIRST_PAUSE_MS;
          continue;
        case 'smaller':
          continue;
        case 'refused':
          if (!(await parkRefused(events, attempt))) break;
          if (attempt.scope === 'stream') return 'changed';
          // What took its place; the events behind it are unchanged.
          rest = rest.with(0, from.readOne(stream, rest[0]?.revision as number));
          continue;
        case 'held':
          recover();
          held.add(stream, attempt);
          return 'changed';
        case 'unknown':
          onTrouble({ reason: attempt.reason });
          isBlocked = true;
          if (performance.now() - since >= probeAfterMs && (await acceptsOtherThan(stream))) {
            recover();
            held.add(stream, attempt);
            return 'changed';
          }
      }
      if (isStopping) stopping.abort();
      if (signal.aborted) return 'changed';
      await sleep(pauseMs, signal);
      pauseMs = Math.min(2 * pauseMs, maxPauseMs);
    }
    return 'delivered';
  }

  /** Why the stop of a node must not be written yet; undefined for a batch without one, and when nothing of its start is held. */
  function whyStopWaits(batch: readonly OutboxEvent[]): string | undefined {
    if (!endsStart(batch)) return undefined;
    const other = heldOfSameStart((batch[0] as OutboxEvent).stream, held.streams);
    return other && `it has the stop of a node, which comes after all events of ${other}`;
  }

  /** Tries each held stream that is due once. One that is accepted again is drained in order with the others. */
  async function retryHeld(): Promise<void> {
    for (const stream of held.due()) {
      const events = await firstPending(stream);
      if (endsStart(events)) {
        const reason = whyStopWaits(events);
        if (reason !== undefined) held.postpone(stream, { reason });
        else release(stream, events);
        continue;
      }
      const attempt: Attempt = events.length > 0 ? await tryAppend(events) : { kind: 'written', count: 0 };
      if (signal.aborted) return;
      if (attempt.kind === 'smaller') continue;
      if (attempt.kind !== 'written') held.postpone(stream, attempt);
      const isRefused =
        attempt.kind === 'refused' || (attempt.kind === 'held' && held.differedForMs(stream) >= confirmMs);
      if (attempt.kind === 'written') advance(events.slice(0, attempt.count));
      else if (!isRefused || !(await parkRefused(events, { scope: 'stream', ...attempt }))) continue;
      release(stream, events);
    }
  }

  /** The stream is drained in order again, from these events on. */
  function release(stream: string, events: readonly OutboxEvent[]): void {
    cursor = position(Math.min(cursor, (events[0]?.position ?? Number.POSITIVE_INFINITY) - 1));
    held.remove(stream);
  }

  /** The next batch of one stream. */
  async function firstPending(stream: string): Promise<readonly OutboxEvent[]> {
    const events = from.readStream(stream, nextRevision(stream));
    for await (const batch of batchesByStream(events, () => limits, sizeOf)) return batch;
    return [];
  }

  /** Whether the store responds to an append of another stream, so that only this one is in trouble. */
  async function acceptsOtherThan(stream: string): Promise<boolean> {
    for (const other of from.streamNames()) {
      if (other === stream || held.streams.has(other)) continue;
      const events = await firstPending(other);
      // The stop of a node must not be written ahead of what comes before it.
      if (events.length === 0 || endsStart(events)) continue;
      const attempt = await tryAppend(events);
      if (attempt.kind === 'written') advance(events.slice(0, attempt.count));
      return attempt.kind !== 'unknown';
    }
    return false;
  }

  /** @returns whether it is durable */
  async function parkRefused(
    events: readonly OutboxEvent[],
    { reason, scope }: Pick<RefusedEvents, 'reason' | 'scope'>,
  ): Promise<boolean> {
    const { stream, revision } = events[0] as OutboxEvent;
    recover();
    try {
      await park({ stream, revision, scope, reason });
      return true;
    } catch (error) {
      onTrouble({ reason: `${reason}, and the event cannot be parked: ${(error as Error).message}` });
      isBlocked = true;
      return false;
    }
  }

  async function tryAppend(events: readonly OutboxEvent[]): Promise<Attempt> {
    const outcome = await to.append(events);
    switch (outcome.kind) {
      case 'committed':
        if (outcome.isHidden) onHidden((events[0] as OutboxEvent).stream);
        limits = { events: Math.min(2 * limits.events, MAX_PER_APPEND.events), bytes: maxBytes };
        return { kind: 'written', count: events.length };
      case 'unknown':
        return { kind: 'unknown', reason: outcome.error.message };
      case 'rejected':
        if (outcome.scope === 'stream' || events.length === 1) return unlessWritten(events, refusalOf(events, outcome));
        // The append may be too large, and one bad event must not hold back those before it.
        maxBytes = Math.min(maxBytes, outcome.maxBytes ?? maxBytes);
        limits = { events: Math.ceil(events.length / 2), bytes: maxBytes };
        return { kind: 'smaller' };
      case 'conflict':
        return unlessWritten(events, differenceOf(events, outcome.actualRevision));
    }
  }

  /** After a crash or an append of unknown outcome, the history may have some of the events already. */
  async function unlessWritten(events: readonly OutboxEvent[], otherwise: Attempt): Promise<Attempt> {
    try {
      const count = await to.countWritten(
        (events[0] as OutboxEvent).stream,
        events.map(({ id }) => id),
      );
      return count > 0 ? { kind: 'written', count } : otherwise;
    } catch (error) {
      return { kind: 'unknown', reason: (error as Error).message };
    }
  }

  function withinLimits(events: readonly OutboxEvent[]): readonly OutboxEvent[] {
    let bytes = 0;
    const end = events.findIndex((event, index) => {
      bytes += event.bytes;
      return index > 0 && (index >= limits.events || bytes > limits.bytes);
    });
    return end === -1 ? events : events.slice(0, end);
  }

  function advance(events: readonly OutboxEvent[]): void {
    const last = events.at(-1);
    if (!last) return;
    delivered.set(last.stream, last.revision);
    onDrained({ stream: last.stream, count: events.length, revision: last.revision });
  }

  function recover(): void {
    if (!isBlocked) return;
    isBlocked = false;
    onRecovered(undefined);
  }

  const ended = run().catch((error: Error) => onFailure(error));

  return {
    wake,
    async stop(timeoutMs) {
      isStopping = true;
      wake();
      const timer = setTimeout(() => stopping.abort(), timeoutMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

const sizeOf = ({ bytes }: OutboxEvent): number => bytes;

type Rejection = Extract<ReplicationOutcome, { readonly kind: 'rejected' }>;

function refusalOf(events: readonly OutboxEvent[], { reason, scope }: Rejection): Attempt {
  if (scope === 'stream') return { kind: 'refused', reason, scope };
  // A store that does not even take what stands for a parked event takes nothing.
  const isStandIn = events[0]?.type === EventParked.type;
  return isStandIn ? { kind: 'held', reason, differs: false } : { kind: 'refused', reason, scope: 'event' };
}

function differenceOf(events: readonly OutboxEvent[], actualRevision: number): Attempt {
  const { stream, revision } = events[0] as OutboxEvent;
  if (actualRevision === revision - 1) {
    return { kind: 'unknown', reason: `${stream} has changed during the append` };
  }
  const reason =
    actualRevision < revision
      ? `the store has ${stream} up to revision ${actualRevision}, but the next event is ${revision}: ` +
        'the store was restored from an older copy'
      : `from revision ${revision} on, the store has other events in ${stream} than this node wrote`;
  return { kind: 'held', reason, differs: true };
}

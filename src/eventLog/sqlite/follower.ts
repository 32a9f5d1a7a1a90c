import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Position } from '../../domain/core/brands.ts';
import type { RecordedEvent, Subscriber } from '../eventLog.ts';
import type { Page } from './reader.ts';

/** A subscription starts after a position that the log does not have. */
export class PositionBeyondLog extends Error {
  override readonly name = 'PositionBeyondLog';
  readonly code = 'POSITION_BEYOND_LOG';
  constructor(after: Position, head: Position) {
    super(`The log ends at ${head}, but a reader continues from ${after}: the log was restored from an older copy.`);
  }
}

export interface FollowerOptions {
  readonly after: Position;
  readonly subscriber: Subscriber;
  readonly head: () => Position;
  readonly page: (after: Position, upTo: Position) => Page;
  readonly onEnd: () => void;
}

export interface Follower {
  /** Delivers events that were just committed. */
  publish(batch: readonly RecordedEvent[]): void;
  /** Delivers from the file the events up to the new head. */
  wake(): void;
  /** Ends the subscription with an error. */
  fail(error: Error): void;
  stop(): void;
}

/** Maximum events buffered in memory for a slow subscriber. Beyond this they are read from the file instead. */
const MAX_BACKLOG = 4_096;

/**
 * Delivers events to one subscriber: first pages from the file up to the head, then committed batches. A batch that does
 * not continue the delivered events is skipped and read from the file instead.
 */
export function follow({ after, subscriber, head, page, onEnd }: FollowerOptions): Follower {
  const target = head();
  let mode: 'reading' | 'idle' | 'busy' | 'ended' = 'reading';
  /** Position of the last event that the subscriber has handled. */
  let cursor = after;
  let backlog: RecordedEvent[] = [];
  let isBacklogComplete = true;
  let hasNotifiedCaughtUp = false;

  const isEnded = (): boolean => mode === 'ended';

  function end(): void {
    mode = 'ended';
    backlog = [];
    onEnd();
  }

  function fail(error: unknown): void {
    if (isEnded()) return;
    end();
    // In a separate microtask: an error that the handler throws must not reach appends that wait for their outcome.
    queueMicrotask(() => subscriber.onFailure(error as Error));
  }

  function advance(batch: readonly RecordedEvent[]): void {
    cursor = lastOf(batch);
    notifyCaughtUp();
  }

  function notifyCaughtUp(): void {
    if (hasNotifiedCaughtUp || isEnded() || cursor < target) return;
    hasNotifiedCaughtUp = true;
    subscriber.onCaughtUp?.();
  }

  async function start(): Promise<void> {
    // `follow` returns the subscription first.
    await Promise.resolve();
    if (after > target) throw new PositionBeyondLog(after, target);
    notifyCaughtUp();
    await read();
  }

  /** Reads up to the head. No other code runs between the last check of the head and `idle`, so no batch is missed. */
  async function read(): Promise<void> {
    if (isEnded()) return;
    mode = 'reading';
    while (cursor < head()) {
      const { events, failure } = page(cursor, head());
      if (events.length > 0) {
        const handled = subscriber.onEvents(events);
        if (handled) await handled;
        advance(events);
      } else cursor = head();
      if (failure) throw failure;
      if (cursor < head()) await nextTurn();
      if (isEnded()) return;
    }
    mode = 'idle';
  }

  function deliver(batch: readonly RecordedEvent[]): void {
    if (batch[0]?.position !== cursor + 1) {
      void read().catch(fail);
      return;
    }
    try {
      const handled = subscriber.onEvents(batch);
      if (handled) void deliverBacklog(handled, batch).catch(fail);
      else advance(batch);
    } catch (error) {
      fail(error);
    }
  }

  /** Waits for a slow subscriber, then delivers the events committed meanwhile as one batch. */
  async function deliverBacklog(handled: Promise<void>, batch: readonly RecordedEvent[]): Promise<void> {
    mode = 'busy';
    await handled;
    advance(batch);
    while (!isEnded() && isBacklogComplete && backlog[0]?.position === cursor + 1) {
      const next = backlog;
      backlog = [];
      await subscriber.onEvents(next);
      advance(next);
    }
    backlog = [];
    isBacklogComplete = true;
    await read();
  }

  function enqueue(batch: readonly RecordedEvent[]): void {
    const last = backlog.at(-1);
    const continues = !last || batch[0]?.position === last.position + 1;
    isBacklogComplete &&= continues && backlog.length + batch.length <= MAX_BACKLOG;
    if (isBacklogComplete) backlog.push(...batch);
    else backlog = [];
  }

  void start().catch(fail);
  return {
    publish(batch) {
      if (mode === 'busy') enqueue(batch);
      else if (mode === 'idle') deliver(batch);
    },
    wake() {
      if (mode === 'idle') void read().catch(fail);
    },
    fail,
    stop() {
      if (!isEnded()) end();
    },
  };
}

const lastOf = (batch: readonly RecordedEvent[]): Position => (batch.at(-1) as RecordedEvent).position;

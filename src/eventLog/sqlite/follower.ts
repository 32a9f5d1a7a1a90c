import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Position } from '../../domain/core/brands.ts';
import type { RecordedEvent, Subscriber } from '../eventLog.ts';
import type { Page } from './reader.ts';

/** A subscription after a position that the log does not have. */
export class PositionBeyondLog extends Error {
  override readonly name = 'PositionBeyondLog';
  readonly code = 'POSITION_BEYOND_LOG';
  constructor(after: Position, head: Position) {
    super(`The log ends at ${head}, but is to be followed from ${after}: it was restored from an older copy.`);
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
  /** Takes what was just committed. */
  publish(batch: readonly RecordedEvent[]): void;
  /** The head moved without a batch: a writer died between its commit and its answer. */
  wake(): void;
  /** Nothing more can come. */
  fail(error: Error): void;
  stop(): void;
}

/** Events that wait in memory for a slow subscriber; with more it goes back to reading the file. */
const MAX_BACKLOG = 4_096;

/**
 * Brings one subscriber from a position to the head and keeps it there: pages from the file first, then committed
 * batches as they come. A batch that does not continue what was handed over before is read from the file instead.
 */
export function follow({ after, subscriber, head, page, onEnd }: FollowerOptions): Follower {
  const target = head();
  let mode: 'reading' | 'idle' | 'busy' | 'ended' = 'reading';
  /** Everything up to here was handed over and taken. */
  let cursor = after;
  let backlog: RecordedEvent[] = [];
  let isBacklogWhole = true;
  let hasToldCaughtUp = false;

  const isEnded = (): boolean => mode === 'ended';

  function end(): void {
    mode = 'ended';
    backlog = [];
    onEnd();
  }

  function fail(error: unknown): void {
    if (isEnded()) return;
    end();
    // In a turn of its own: what the handler throws must not reach the appends that wait for their outcome.
    queueMicrotask(() => subscriber.onFailure(error as Error));
  }

  function advance(batch: readonly RecordedEvent[]): void {
    cursor = lastOf(batch);
    tellCaughtUp();
  }

  function tellCaughtUp(): void {
    if (hasToldCaughtUp || isEnded() || cursor < target) return;
    hasToldCaughtUp = true;
    subscriber.onCaughtUp?.();
  }

  async function start(): Promise<void> {
    // The caller gets its handle first.
    await Promise.resolve();
    if (after > target) throw new PositionBeyondLog(after, target);
    tellCaughtUp();
    await read();
  }

  /** Reads until nothing is left. From the last look at the head to `idle` nothing else runs, so nothing falls between. */
  async function read(): Promise<void> {
    if (isEnded()) return;
    mode = 'reading';
    while (cursor < head()) {
      const { events, failure } = page(cursor, head());
      if (events.length > 0) {
        const underWay = subscriber.onEvents(events);
        if (underWay) await underWay;
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
      const underWay = subscriber.onEvents(batch);
      if (underWay) void drain(underWay, batch).catch(fail);
      else advance(batch);
    } catch (error) {
      fail(error);
    }
  }

  /** Live, but slow: what comes meanwhile is handed over as one batch. */
  async function drain(first: Promise<void>, batch: readonly RecordedEvent[]): Promise<void> {
    mode = 'busy';
    await first;
    advance(batch);
    while (!isEnded() && isBacklogWhole && backlog[0]?.position === cursor + 1) {
      const next = backlog;
      backlog = [];
      await subscriber.onEvents(next);
      advance(next);
    }
    backlog = [];
    isBacklogWhole = true;
    await read();
  }

  function keep(batch: readonly RecordedEvent[]): void {
    const last = backlog.at(-1);
    const continues = !last || batch[0]?.position === last.position + 1;
    isBacklogWhole &&= continues && backlog.length + batch.length <= MAX_BACKLOG;
    if (isBacklogWhole) backlog.push(...batch);
    else backlog = [];
  }

  void start().catch(fail);
  return {
    publish(batch) {
      if (mode === 'busy') keep(batch);
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

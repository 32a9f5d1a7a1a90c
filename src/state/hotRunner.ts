import type { Position } from '../domain/core/brands.ts';
import type { EventLog, RecordedEvent, Subscription } from '../eventLog/eventLog.ts';
import type { Checkpoints } from './fold/checkpoints.ts';
import { emptyFold, type Fold } from './fold/fold.ts';
import type { HotState } from './fold/hotState.ts';

interface Waiter {
  readonly position: Position;
  readonly resolve: () => void;
}

/** Keeps one `HotState` up to date with the log, for as long as the process lives. */
export interface HotRunner {
  readonly state: HotState;
  /** Where folds of the past begin. */
  readonly checkpoints: Checkpoints;
  /** Resolves when this node has folded `position`; rejects when the fold has failed or after `timeoutMs`. */
  whenFolded(position: Position, timeoutMs?: number): Promise<void>;
  /** Told of every event right after it was folded, in order. */
  onFolded(listener: (event: RecordedEvent) => void): void;
  /**
   * Folds an event of a stream that only this node writes to, durable in its outbox, before the log brings it: then it is
   * skipped. All events of such a stream, in order, or none. Listeners are told twice.
   */
  applyBeforeLog(event: RecordedEvent): void;
  stop(): void;
}

/** The fold did not reach a position in time, or it can go no further. */
export class FoldUnavailable extends Error {
  override readonly name = 'FoldUnavailable';
}

/**
 * Folds the log on and resolves when it has caught up.
 * @param onFailure told once when the fold stops later on (an unknown event type, a log that cannot be read)
 * @param fold where to begin; the runner's own from now on
 * @throws the same errors when they are met on the way
 */
export async function startHotRunner(
  log: EventLog,
  onFailure: (error: Error) => void,
  fold: Fold = emptyFold(),
): Promise<HotRunner> {
  const { state, checkpoints } = fold;
  const listeners: ((event: RecordedEvent) => void)[] = [];
  let waiters: Waiter[] = [];
  let failure: Error | undefined;
  let isCaughtUp = false;
  let subscription: Subscription | undefined;
  /** The last revision of each stream that was folded ahead of the log. */
  const ahead = new Map<string, number>();

  const wasFoldedAhead = ({ stream, revision }: RecordedEvent): boolean => {
    const last = ahead.get(stream) ?? -1;
    if (revision === last) ahead.delete(stream);
    return revision <= last;
  };

  const onEvents = (batch: readonly RecordedEvent[]) => {
    for (const event of batch) {
      if (ahead.size > 0 && wasFoldedAhead(event)) state.position = event.position;
      else state.apply(event);
      checkpoints.onFolded(state, event);
      for (const listener of listeners) listener(event);
    }
    if (waiters.length === 0) return;
    const ready = waiters.filter(({ position }) => position <= state.position);
    waiters = waiters.filter(({ position }) => position > state.position);
    for (const { resolve } of ready) resolve();
  };

  await new Promise<void>((resolve, reject) => {
    subscription = log.subscribe(state.position, {
      onEvents,
      onCaughtUp() {
        isCaughtUp = true;
        resolve();
      },
      onFailure: (error) => {
        failure = error;
        // Whoever waits for the start is told by its failure, nobody twice.
        if (isCaughtUp) onFailure(error);
        else reject(error);
      },
    });
  });

  return {
    state,
    checkpoints,
    onFolded: (listener) => void listeners.push(listener),
    applyBeforeLog(durable) {
      ahead.set(durable.stream, durable.revision);
      const event = { ...durable, position: state.position };
      state.apply(event);
      for (const listener of listeners) listener(event);
    },
    stop: () => subscription?.stop(),
    whenFolded(position, timeoutMs = 2_000) {
      if (position <= state.position) return Promise.resolve();
      if (failure) return Promise.reject(new FoldUnavailable(failure.message));
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiters = waiters.filter((other) => other !== waiter);
          reject(new FoldUnavailable(`position ${position} was not folded within ${timeoutMs} ms`));
        }, timeoutMs);
        const waiter: Waiter = {
          position,
          resolve: () => {
            clearTimeout(timer);
            resolve();
          },
        };
        waiters.push(waiter);
      });
    },
  };
}

import type { Position } from '../domain/core/brands.ts';
import type { EventLog, RecordedEvent, Subscription } from '../eventLog/eventLog.ts';
import type { Checkpoints } from './fold/checkpoints.ts';
import { emptyFold, type Fold } from './fold/fold.ts';
import type { HotState } from './fold/hotState.ts';

interface Waiter {
  readonly position: Position;
  readonly resolve: () => void;
}

/** Keeps one `HotState` up to date with the log while the process runs. */
export interface HotRunner {
  readonly state: HotState;
  /** Starting points for folds of past states. */
  readonly checkpoints: Checkpoints;
  /** Resolves when this node has folded `position`; rejects when the fold has failed or after `timeoutMs`. */
  whenFolded(position: Position, timeoutMs?: number): Promise<void>;
  /** Adds a listener that is called for every event, in order, right after it was folded. */
  onFolded(listener: (event: RecordedEvent) => void): void;
  /**
   * Folds an event before the log delivers it, when it is skipped. The event must be durable in this node's outbox, and its
   * stream must be written by this node only: either all events of a stream go through here, in order, or none. Listeners
   * are called both times.
   */
  applyBeforeLog(event: RecordedEvent): void;
  stop(): void;
}

/** The fold did not reach a position in time, or has failed. */
export class FoldUnavailable extends Error {
  override readonly name = 'FoldUnavailable';
}

/**
 * Continues a fold of the log and resolves when it has caught up.
 * @param onFailure called once when the fold fails after that (an unknown event type, a log that cannot be read)
 * @param fold where to begin; owned by the runner from now on
 * @throws the same errors when the fold fails before it has caught up
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
  /** The last revision of each stream that was folded before the log delivered it. */
  const appliedRevisions = new Map<string, number>();

  const wasAppliedBeforeLog = ({ stream, revision }: RecordedEvent): boolean => {
    const last = appliedRevisions.get(stream) ?? -1;
    if (revision === last) appliedRevisions.delete(stream);
    return revision <= last;
  };

  const onEvents = (batch: readonly RecordedEvent[]) => {
    for (const event of batch) {
      if (appliedRevisions.size > 0 && wasAppliedBeforeLog(event)) state.position = event.position;
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
        // Before the fold has caught up, the rejected start reports the failure.
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
      appliedRevisions.set(durable.stream, durable.revision);
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

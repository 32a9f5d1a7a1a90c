import type { Position } from '../../src/domain/core/brands.ts';
import type { EventLog, RecordedEvent, Subscription } from '../../src/eventLog/eventLog.ts';

export interface Collector extends Disposable {
  readonly events: readonly RecordedEvent[];
  readonly positions: readonly Position[];
  /** Resolves once this many events have been received. */
  until(count: number): Promise<void>;
  readonly caughtUp: Promise<void>;
  /** Resolves with the error when the subscription fails. */
  readonly failure: Promise<Error>;
  readonly timesCaughtUp: number;
  stop(): void;
}

/** Subscribes to a log and collects its events. @param onBatch called with each batch, in addition to collecting it */
export function collect(
  log: EventLog,
  after: Position,
  onBatch: (batch: readonly RecordedEvent[]) => void | Promise<void> = () => {},
): Collector {
  const events: RecordedEvent[] = [];
  const caughtUp = Promise.withResolvers<void>();
  const failure = Promise.withResolvers<Error>();
  const waiters: { count: number; resolve: () => void }[] = [];
  let timesCaughtUp = 0;
  const subscription: Subscription = log.subscribe(after, {
    onEvents(batch) {
      events.push(...batch);
      for (const { count, resolve } of waiters) if (events.length >= count) resolve();
      return onBatch(batch);
    },
    onCaughtUp() {
      timesCaughtUp += 1;
      caughtUp.resolve();
    },
    onFailure: failure.resolve,
  });
  const stop = () => subscription.stop();
  return {
    events,
    get positions() {
      return events.map(({ position }) => position);
    },
    until(count) {
      if (events.length >= count) return Promise.resolve();
      return new Promise((resolve) => waiters.push({ count, resolve }));
    },
    caughtUp: caughtUp.promise,
    failure: failure.promise,
    get timesCaughtUp() {
      return timesCaughtUp;
    },
    stop,
    [Symbol.dispose]: stop,
  };
}

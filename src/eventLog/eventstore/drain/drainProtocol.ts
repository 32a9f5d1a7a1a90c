import type { DrainedEvents, DrainTrouble, RefusedEvents } from '../../outbox/drainListener.ts';
import type { ConnectionSettings } from '../client/connectionString.ts';

export interface DrainThreadSettings {
  /** The file of the outbox. */
  readonly path: string;
  readonly settings: ConnectionSettings;
  /** The file of the mirror, which knows what the store must have. */
  readonly mirrorPath: string;
  /** Last revision of streams that the store has. */
  readonly drained: ReadonlyMap<string, number>;
}

/** Messages between an outbox and the thread that drains it. */
export interface DrainThread {
  options: DrainThreadSettings;
  notifications: {
    /** The outbox has new events. */
    wake(): void;
  };
  reports: {
    drained(drained: DrainedEvents): void;
    trouble(trouble: DrainTrouble): void;
    recovered(stream: string | undefined): void;
    hidden(stream: string): void;
  };
  questions: {
    /** Takes refused events out of the outbox. */
    park(refused: RefusedEvents): void;
    /** See `ReplicationTarget`: only the main thread has the mirror. */
    countWritten(events: { readonly stream: string; readonly ids: readonly string[] }): number;
  };
}

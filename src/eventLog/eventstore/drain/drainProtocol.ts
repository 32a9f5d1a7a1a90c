import type { Position } from '../../../domain/core/brands.ts';
import type { ErrorData } from '../../../lib/threads/errors.ts';
import type { DrainedEvents } from '../../outbox/drainer.ts';
import type { ConnectionSettings } from '../client/connectionString.ts';

export interface DrainThreadSettings {
  /** The file of the outbox. */
  readonly path: string;
  readonly settings: ConnectionSettings;
  /** The file of the mirror, which knows what the store must have. */
  readonly mirrorPath: string;
  /** Everything up to this position is in the store. */
  readonly after: Position;
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
    /** The store does not accept events, for this reason. */
    blocked(error: ErrorData): void;
    /** The store accepts events again. */
    unblocked(message: string): void;
  };
}

import { existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type Position, position } from '../../domain/brands.ts';

/** An event as it stands in the file, its data still text. */
export type RawEvent = [position: number, type: string, version: number, time: number, data: string];

/** Where the log stands, or stood: the id tells a log from another that has as many events. */
export interface LogMark {
  readonly position: Position;
  readonly eventId: string | null;
}

const BEGINNING: LogMark = { position: position(0), eventId: null };

/** Reads the log's file through a connection of its own, so that nobody who appends has to wait. */
export class LogReader {
  readonly #path: string;
  readonly #types: readonly string[];
  #open: { database: DatabaseSync; last: StatementSync; between: StatementSync } | undefined;

  /** @param types the events that matter; of all others only the position is read */
  constructor(path: string, types: readonly string[]) {
    this.#path = path;
    this.#types = types;
  }

  /** The last event at or before `at`. */
  lastUpTo(at: Position): LogMark {
    const mark = this.#statements()?.last.get(at) as LogMark | undefined;
    return mark ?? BEGINNING;
  }

  /** Events that matter behind `after`, up to and including `upTo`, in order. */
  between(after: Position, upTo: Position): RawEvent[] {
    return (this.#statements()?.between.all(after, upTo, ...this.#types) ?? []) as unknown as RawEvent[];
  }

  close(): void {
    this.#open?.database.close();
    this.#open = undefined;
  }

  #statements() {
    // A log that nobody has begun yet is empty.
    if (!this.#open && existsSync(this.#path)) {
      const database = new DatabaseSync(this.#path, { readOnly: true, timeout: 5_000 });
      const last = database.prepare(
        'SELECT position, id AS eventId FROM events WHERE position <= ? ORDER BY position DESC LIMIT 1',
      );
      const between = database.prepare(
        `SELECT position, type, version, time, data FROM events
         WHERE position > ? AND position <= ? AND type IN (${this.#types.map(() => '?').join(', ')}) ORDER BY position`,
      );
      between.setReturnArrays(true);
      this.#open = { database, last, between };
    }
    return this.#open;
  }
}

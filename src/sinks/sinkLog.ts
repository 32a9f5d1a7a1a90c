import { existsSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { openDatabase } from '../dataFolder/openDatabase.ts';
import { leafEntryOf, type StoredRow } from '../integrity/leaf/leafEntry.ts';
import { logOrigin } from '../integrity/published/logOrigin.ts';

const COLUMNS = 'position, stream, revision, id, type, version, time, data, metadata';
const BUSY_TIMEOUT_MS = 5_000;
/** A log whose first event is not there yet, or archived, has no origin to show. */
const UNKNOWN_ORIGIN = 'svc';

interface Statements {
  readonly database: DatabaseSync;
  readonly after: StatementSync;
  readonly hashAt: StatementSync;
  readonly end: StatementSync;
}

/** Reads the log's file for sinks, through a connection of its own, so that appends do not wait. */
export class SinkLog {
  readonly #path: string;
  #statements: Statements | undefined;
  #origin: string | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** The events after a position. Those of archived days are not in the log any more: the next one follows. */
  after(position: number, limit: number): StoredRow[] {
    return (this.#open()?.after.all(position, limit) ?? []) as unknown as StoredRow[];
  }

  /** Position of the last event; 0 for an empty log. */
  end(): number {
    return (this.#open()?.end.get()?.position ?? 0) as number;
  }

  /** The hash of an event; undefined when the log has none at this position. */
  hashAt(position: number): string | undefined {
    return this.#open()?.hashAt.get(position)?.hash as string | undefined;
  }

  /** The origin of the log, as its checkpoints name it first. */
  origin(): string {
    if (this.#origin !== undefined) return this.#origin;
    const [first] = this.after(0, 1);
    if (first?.position !== 1) return UNKNOWN_ORIGIN;
    this.#origin = logOrigin(Buffer.from(leafEntryOf(first))).origin;
    return this.#origin;
  }

  close(): void {
    this.#statements?.database.close();
    this.#statements = undefined;
  }

  #open(): Statements | undefined {
    if (!this.#statements && existsSync(this.#path)) {
      const database = openDatabase(this.#path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
      this.#statements = {
        database,
        after: database.prepare(`SELECT ${COLUMNS} FROM events WHERE position > ? ORDER BY position LIMIT ?`),
        hashAt: database.prepare("SELECT metadata ->> '$.hash' AS hash FROM events WHERE position = ?"),
        end: database.prepare('SELECT max(position) AS position FROM events'),
      };
    }
    return this.#statements;
  }
}

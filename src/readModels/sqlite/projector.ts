import type { DatabaseSync } from 'node:sqlite';
import { HISTORY_VERSION } from '../../../projections/history.ts';
import { type Position, position } from '../../domain/core/brands.ts';
import { PROJECTIONS_VERSION } from '../projections.ts';
import { inTransaction } from './inTransaction.ts';
import type { LogMark, LogReader } from './logReader.ts';
import { Tables } from './tables.ts';

/** Files made by other versions of the projections are made again. */
export const READ_MODEL_VERSION = `${PROJECTIONS_VERSION}, history ${HISTORY_VERSION}`;

/** So many events make one transaction: large enough to be cheap, small enough to answer in between (20 ms). */
export const BATCH_EVENTS = 2_000;

/** So many events are read at a time. */
const EVENTS_PER_READ = 500;

const BEGINNING: LogMark = { position: position(0), eventId: null };

/** Folds the log into the tables of a file: documents, sums, indexes and how far they reach change in one transaction. */
export class Projector {
  readonly #database: DatabaseSync;
  readonly #log: LogReader;
  #tables: Tables;
  #mark: LogMark;

  constructor(database: DatabaseSync, log: LogReader) {
    this.#database = database;
    this.#log = log;
    const progress = database.prepare('SELECT version, position, eventId FROM progress').get();
    if (progress?.version === READ_MODEL_VERSION) {
      this.#mark = { position: progress.position as Position, eventId: progress.eventId as string | null };
      this.#tables = new Tables(database, log, this.#mark.position);
    } else {
      this.#mark = BEGINNING;
      this.#tables = this.#startOver();
    }
  }

  /** Everything up to here is in the tables. */
  get position(): Position {
    return this.#mark.position;
  }

  get tables(): Tables {
    return this.#tables;
  }

  /**
   * Folds one batch of what is new in the log.
   * @param upTo goes no further than this position
   * @returns whether there is more
   */
  catchUp(batchEvents = BATCH_EVENTS, upTo = position(Number.MAX_SAFE_INTEGER)): boolean {
    if (!this.#stillHolds()) {
      this.#tables = this.#startOver();
      this.#mark = BEGINNING;
    }
    const head = this.#log.lastUpTo(upTo);
    if (head.position <= this.#mark.position) return false;
    const isLast = head.position - this.#mark.position <= batchEvents;
    const target = isLast ? head : this.#log.lastUpTo(position(this.#mark.position + batchEvents));
    this.#fold(target);
    return !isLast;
  }

  #fold(target: LogMark): void {
    const [tables, before] = [this.#tables, this.#mark.position];
    try {
      inTransaction(this.#database, () => {
        // In small portions, so that what is read does not outlive the young generation.
        for (let after: number = before; after < target.position; after += EVENTS_PER_READ) {
          const upTo = position(Math.min(after + EVENTS_PER_READ, target.position));
          for (const event of this.#log.between(position(after), upTo)) tables.add(event);
          tables.write();
        }
        tables.flush(before, target.position);
        this.#database.prepare('UPDATE progress SET position = ?, eventId = ?').run(target.position, target.eventId);
      });
    } catch (error) {
      tables.clear(before);
      throw error;
    }
    this.#mark = target;
  }

  /** A restored log can end before us, or go on differently: then our rows are of another history. */
  #stillHolds(): boolean {
    if (this.#mark.position === 0) return true;
    const { position: at, eventId } = this.#log.lastUpTo(this.#mark.position);
    return at === this.#mark.position && eventId === this.#mark.eventId;
  }

  #startOver(): Tables {
    return inTransaction(this.#database, () => {
      // A virtual table takes its shadow tables with it.
      const old = this.#database
        .prepare(
          `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')
           AND name NOT IN ('progress', 'sqlite_schema', 'sqlite_sequence')`,
        )
        .all();
      for (const { name } of old) this.#database.exec(`DROP TABLE "${name}"`);
      this.#database.prepare('INSERT OR REPLACE INTO progress VALUES (1, ?, 0, NULL)').run(READ_MODEL_VERSION);
      return new Tables(this.#database, this.#log, BEGINNING.position);
    });
  }
}

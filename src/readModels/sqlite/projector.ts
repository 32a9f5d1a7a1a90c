import type { DatabaseSync } from 'node:sqlite';
import { HISTORY_VERSION } from '../../../projections/history.ts';
import { type Position, position } from '../../domain/core/brands.ts';
import { Continuity, type LogBreak } from '../../eventLog/continuity.ts';
import { chainOf, continuedHashOf } from '../../eventLog/storedChain.ts';
import { decodeRollUps } from '../archivedRollUps.ts';
import { PROJECTIONS_VERSION } from '../projections.ts';
import { inTransaction } from './inTransaction.ts';
import type { LogMark, LogReader, RawEvent } from './logReader.ts';
import { Tables } from './tables.ts';

/** Files that were built by another version are rebuilt. */
export const READ_MODEL_VERSION = `${PROJECTIONS_VERSION}, history ${HISTORY_VERSION}`;

/** The version of read models that have the roll-ups of these archived segments. */
export const versionWith = (archive: string): string =>
  archive === '' ? READ_MODEL_VERSION : `${READ_MODEL_VERSION}, archive ${archive}`;

const NONE: ReadonlySet<number> = new Set();

/** Events per transaction: enough to be cheap, few enough (20 ms) to run queries in between. */
export const BATCH_EVENTS = 2_000;

/** Few enough that the rows do not outlive V8's young generation. */
const EVENTS_PER_READ = 100;

export interface ProjectorOptions {
  /** Called with events that do not continue the log before them; default: this is not checked. */
  readonly onBreak?: (found: LogBreak) => void;
  /** Called when empty tables are made, before the first row. They may be made again. */
  readonly onTables?: (tables: Tables) => void;
}

const BEGINNING: LogMark = { position: position(0), eventId: null };

/** Projects the log into the tables of a file. Rows, sums, indexes and the position they reach change in one transaction. */
export class Projector {
  readonly #database: DatabaseSync;
  readonly #log: LogReader;
  #tables: Tables;
  readonly #onBreak: ProjectorOptions['onBreak'];
  readonly #onTables: ProjectorOptions['onTables'];
  /** The archived segments whose roll-ups the tables have in place of rows. */
  #archive: string;
  /** Rows up to here may be in the roll-ups. */
  #archivedUpTo = 0;
  #mark: LogMark;
  #continuity: Continuity;

  constructor(database: DatabaseSync, log: LogReader, { onBreak, onTables }: ProjectorOptions = {}) {
    this.#onBreak = onBreak;
    this.#onTables = onTables;
    this.#database = database;
    this.#log = log;
    const progress = database.prepare('SELECT version, position, eventId FROM progress').get();
    this.#archive = log.archive.signature();
    this.#archivedUpTo = log.archive.end();
    if (progress?.version === versionWith(this.#archive)) {
      this.#mark = { position: progress.position as Position, eventId: progress.eventId as string | null };
      this.#tables = new Tables(database, log, this.#mark.position);
    } else {
      this.#mark = BEGINNING;
      this.#tables = this.#startOver();
    }
    this.#continuity = this.#continuityAfter(this.#mark.position);
  }

  #continuityAfter(after: Position): Continuity {
    return new Continuity(
      after,
      (stream, revision) => this.#log.hashAt(stream, revision),
      (first, last) => this.#log.archive.covers(first, last),
    );
  }

  /** Whether days were archived or restored since: the tables must be made again. */
  isOutdated(): boolean {
    return this.#log.archive.signature() !== this.#archive;
  }

  /** The tables are complete up to this position. */
  get position(): Position {
    return this.#mark.position;
  }

  get tables(): Tables {
    return this.#tables;
  }

  /**
   * Projects one batch of new events.
   * @param upTo position at which to stop
   * @returns whether there is more
   */
  catchUp(batchEvents = BATCH_EVENTS, upTo = position(Number.MAX_SAFE_INTEGER)): boolean {
    if (!this.#matchesLog()) {
      this.#tables = this.#startOver();
      this.#mark = BEGINNING;
      this.#continuity = this.#continuityAfter(BEGINNING.position);
    }
    const head = this.#log.lastUpTo(upTo);
    if (head.position <= this.#mark.position) return false;
    const isLast = head.position - this.#mark.position <= batchEvents;
    const target = isLast ? head : this.#log.lastUpTo(position(this.#mark.position + batchEvents));
    // Archived events leave gaps that may be longer than a batch.
    this.#project(target.position > this.#mark.position ? target : this.#log.firstAfter(this.#mark.position));
    return !isLast;
  }

  #project(target: LogMark): void {
    const [tables, before] = [this.#tables, this.#mark.position];
    try {
      inTransaction(this.#database, () => {
        for (let after: number = before; after < target.position; after += EVENTS_PER_READ) {
          const upTo = position(Math.min(after + EVENTS_PER_READ, target.position));
          const events = this.#log.between(position(after), upTo);
          // Rows of archived events may not be removed yet.
          const archived = after < this.#archivedUpTo ? this.#log.archive.among(events.map(([at]) => at)) : NONE;
          for (const event of events) {
            if (this.#onBreak) this.#check(event, this.#onBreak);
            if (!archived.has(event[0])) tables.add(event);
          }
          tables.write();
        }
        tables.flush(before, target.position);
        this.#database.prepare('UPDATE progress SET position = ?, eventId = ?').run(target.position, target.eventId);
      });
    } catch (error) {
      tables.clear(before);
      this.#continuity = this.#continuityAfter(before);
      throw error;
    }
    this.#mark = target;
  }

  #check([at, stream, type, , , data, metadata, revision]: RawEvent, onBreak: (found: LogBreak) => void): void {
    const chain = chainOf(metadata);
    const hash = continuedHashOf(type, data, chain);
    const link = { position: at, stream, revision, previousHash: chain.previousHash, hash };
    const found = this.#continuity.check(link);
    if (found && found.position > this.#log.acceptedUpTo()) onBreak(found);
  }

  /** A log that was restored from a backup can end earlier or continue differently: then the rows belong to another history. */
  #matchesLog(): boolean {
    if (this.#mark.position === 0) return true;
    const { position: at, eventId } = this.#log.lastUpTo(this.#mark.position);
    return at === this.#mark.position && eventId === this.#mark.eventId;
  }

  #startOver(): Tables {
    return inTransaction(this.#database, () => {
      // Dropping a virtual table drops its shadow tables.
      const old = this.#database
        .prepare(
          `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')
           AND name NOT IN ('progress', 'sqlite_schema', 'sqlite_sequence')`,
        )
        .all();
      for (const { name } of old) this.#database.exec(`DROP TABLE "${name}"`);
      this.#archive = this.#log.archive.signature();
      this.#archivedUpTo = this.#log.archive.end();
      const version = versionWith(this.#archive);
      this.#database.prepare('INSERT OR REPLACE INTO progress VALUES (1, ?, 0, NULL)').run(version);
      const tables = new Tables(this.#database, this.#log, BEGINNING.position);
      this.#onTables?.(tables);
      for (const rollUps of this.#log.archive.rollUps()) tables.addArchived(decodeRollUps(rollUps));
      return tables;
    });
  }
}

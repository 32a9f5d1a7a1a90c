import { hash } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { HISTORY_VERSION } from '../../../../projections/history.ts';
import { type Instant, type Position, position } from '../../../domain/brands.ts';
import { Dictionary } from '../dictionary.ts';
import type { HistoryLog, Indexed } from './historyLog.ts';

const BATCH_EVENTS = 5_000;
/** So far apart are the marks that lead from a time to a position; what lies between is read from the log. */
const MARK_EVERY = 256;
/** Goes up with every change of the tables. */
const LAYOUT = 2;
const VERSION = `history ${HISTORY_VERSION}.${LAYOUT}`;

/** So many neighbouring positions share one stretch of the index of requests. */
export const STRETCH = 65_536;

/**
 * Each index is a table of its own, sorted newest last within its label, and holds nothing but positions: the log itself
 * has the rows. Labels are 48 bits of a hash, and whoever reads a row looks whether it is the one that was meant. An
 * ordinary request, by far the most of all events, adds three small entries: two at the end of a range, and one by its
 * random id within the stretch that grows, which stays small.
 */
const TABLES = `
  CREATE TABLE IF NOT EXISTS byType (type INTEGER, position INTEGER, PRIMARY KEY (type, position)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS byActor (label INTEGER, type INTEGER, position INTEGER,
    PRIMARY KEY (label, type, position)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS bySubject (label INTEGER, type INTEGER, position INTEGER,
    PRIMARY KEY (label, type, position)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS byRequest (stretch INTEGER, label INTEGER, position INTEGER,
    PRIMARY KEY (stretch, label, position)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS marks (position INTEGER PRIMARY KEY, latest INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS marksByTime ON marks (latest, position);
  CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(text, tokenize = 'trigram', content = '', columnsize = 0);
`;

interface TypeName {
  readonly text: string;
}

/** Indexes over the log's positions in a file of their own; how far they reach changes in the same transaction. */
export class HistoryStore {
  readonly database: DatabaseSync;
  readonly types: Dictionary<TypeName>;
  readonly #log: HistoryLog;
  #mark: { readonly position: Position; readonly eventId: string | null };
  #latest: number;

  constructor(database: DatabaseSync, log: HistoryLog) {
    this.database = database;
    this.#log = log;
    const progress = database.prepare('SELECT version, position, eventId FROM progress').get();
    const isCurrent = progress?.version === VERSION;
    if (!isCurrent) clear(database);
    database.exec(TABLES);
    this.types = new Dictionary<TypeName>(database, 'types', ['text']);
    this.#mark = isCurrent
      ? { position: progress?.position as Position, eventId: progress?.eventId as string | null }
      : { position: position(0), eventId: null };
    this.#latest = (database.prepare('SELECT max(latest) AS latest FROM marks').get()?.latest as number | null) ?? 0;
  }

  /** Everything up to here is in the indexes. */
  get position(): Position {
    return this.#mark.position;
  }

  /** A restored log can end before us, or go on differently: then our entries are of another history. */
  get stillHolds(): boolean {
    if (this.#mark.position === 0) return true;
    const last = this.#log.lastUpTo(this.#mark.position);
    return last?.position === this.#mark.position && last.eventId === this.#mark.eventId;
  }

  /** Takes in one batch of what is new in the log. @returns whether there is more */
  catchUp(): boolean {
    const head = this.#log.lastUpTo(Number.MAX_SAFE_INTEGER);
    if (!head || head.position <= this.#mark.position) return false;
    const isLast = head.position - this.#mark.position <= BATCH_EVENTS;
    const target = isLast ? head : this.#log.lastUpTo(this.#mark.position + BATCH_EVENTS);
    if (!target) return false;
    const before = this.#latest;
    this.database.exec('BEGIN IMMEDIATE');
    try {
      const insert = this.#inserter();
      for (const event of this.#log.between(this.#mark.position, target.position)) insert(event);
      this.#insertMark.run(target.position, this.#latest);
      this.database
        .prepare('INSERT OR REPLACE INTO progress (only, version, position, eventId) VALUES (1, ?, ?, ?)')
        .run(VERSION, target.position, target.eventId);
      this.database.exec('COMMIT');
    } catch (error) {
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      this.#latest = before;
      this.types.load();
      throw error;
    }
    this.#mark = target;
    return !isLast;
  }

  get #insertMark(): StatementSync {
    return this.database.prepare('INSERT OR IGNORE INTO marks (position, latest) VALUES (?, ?)');
  }

  #inserter(): (event: Indexed) => void {
    const byType = this.database.prepare('INSERT INTO byType VALUES (?, ?)');
    const byActor = this.database.prepare('INSERT INTO byActor VALUES (?, ?, ?)');
    const bySubject = this.database.prepare('INSERT INTO bySubject VALUES (?, ?, ?)');
    const byRequest = this.database.prepare('INSERT INTO byRequest VALUES (?, ?, ?)');
    const texts = this.database.prepare('INSERT INTO texts (rowid, text) VALUES (?, ?)');
    const mark = this.#insertMark;
    return ({ position: at, time, type, actors, subject, text }) => {
      const typeId = this.types.idOf({ text: type });
      byType.run(typeId, at);
      for (const actor of actors) byActor.run(labelOf(actor), typeId, at);
      if (isRequest(subject)) byRequest.run(Math.floor(at / STRETCH), labelOf(subject), at);
      else bySubject.run(labelOf(subject), typeId, at);
      if (text !== undefined) texts.run(at, text);
      if (time > this.#latest) this.#latest = time;
      if (at % MARK_EVERY === 0) mark.run(at, this.#latest);
    };
  }

  /** The last position by which no event was later than `time`. */
  positionAt(time: Instant): Position {
    const mark = this.database
      .prepare('SELECT position, latest FROM marks WHERE latest <= ? ORDER BY latest DESC, position DESC LIMIT 1')
      .get(time) as { position: Position; latest: number } | undefined;
    let found = mark?.position ?? position(0);
    for (;;) {
      const page = this.#log.times(found, MARK_EVERY);
      for (const event of page) {
        if (event.time > time) return found;
        found = event.position;
      }
      if (page.length === 0) return found;
    }
  }
}

export const isRequest = (subject: string): boolean => subject.startsWith('request-');

/** 48 bits, so that SQLite spends six bytes on it and JavaScript can hold it. */
export const labelOf = (text: string): number => Number.parseInt(hash('sha1', text).slice(0, 12), 16);

function clear(database: DatabaseSync): void {
  // Virtual tables take their shadow tables with them.
  database.exec('DROP TABLE IF EXISTS texts');
  for (const table of ['byType', 'byActor', 'bySubject', 'byRequest', 'marks', 'types']) {
    database.exec(`DROP TABLE IF EXISTS ${table}`);
  }
  database.exec('DELETE FROM progress');
}

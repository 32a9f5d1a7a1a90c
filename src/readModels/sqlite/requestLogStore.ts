import type { DatabaseSync } from 'node:sqlite';
import type { Projected, Write } from '../../../projections/projection.ts';
import { type RequestLogRow, requestLog } from '../../../projections/requestLog.ts';
import { instant, type Position, position } from '../../domain/brands.ts';
import { upcast } from '../../domain/eventTypes.ts';
import type { RequestLogFilter, RequestLogPage } from '../requestLogQueries.ts';
import type { LogMark, LogReader, RawEvent } from './logReader.ts';
import { createRequestTable, requestInserter, selectRequests } from './requestTable.ts';

type RequestEventType = 'RequestCompleted' | 'RequestRefused';
type Handler = (event: Projected<RequestEventType>, write: Write<{ requests: RequestLogRow }>) => void;

const handlers = requestLog.on as Readonly<Record<string, Handler | undefined>>;

/** The types of events that the request log is made from. */
export const REQUEST_LOG_TYPES: readonly string[] = Object.keys(requestLog.on);

/** So many events make one transaction: large enough to be cheap, small enough to answer in between. */
const BATCH_EVENTS = 5_000;

/** The request log in a SQLite file: rows and how far they reach change in one transaction. */
export class RequestLogStore {
  readonly #database: DatabaseSync;
  readonly #log: LogReader;
  readonly #insert: (row: RequestLogRow) => number;
  #mark: LogMark;
  #rows: number;

  constructor(database: DatabaseSync, log: LogReader) {
    this.#database = database;
    this.#log = log;
    const progress = database.prepare('SELECT * FROM progress WHERE projection = ?').get(requestLog.name);
    if (progress?.version !== requestLog.version) this.#startOver();
    const {
      position: at,
      eventId,
      documents,
    } = (progress?.version === requestLog.version ? progress : { position: 0, eventId: null, documents: 0 }) as {
      position: Position;
      eventId: string | null;
      documents: number;
    };
    this.#mark = { position: at, eventId };
    this.#rows = documents;
    this.#insert = requestInserter(database);
  }

  /** Everything up to here is in the rows. */
  get position(): Position {
    return this.#mark.position;
  }

  /** Folds one batch of what is new in the log. @returns whether there is more */
  catchUp(): boolean {
    if (!this.#stillHolds()) this.#restart();
    const head = this.#log.lastUpTo(position(Number.MAX_SAFE_INTEGER));
    if (head.position <= this.#mark.position) return false;
    const isLast = head.position - this.#mark.position <= BATCH_EVENTS;
    const target = isLast ? head : this.#log.lastUpTo(position(this.#mark.position + BATCH_EVENTS));
    this.#inTransaction(() => {
      let added = 0;
      const write: Write<{ requests: RequestLogRow }> = {
        insert: (_collection, _key, row) => {
          added += this.#insert(row);
        },
      };
      for (const event of this.#log.between(this.#mark.position, target.position)) project(event, write);
      this.#save(target, this.#rows + added);
    });
    return !isLast;
  }

  page(filter: RequestLogFilter, limit: number, offset: number): RequestLogPage {
    const { rows, total = this.#rows } = selectRequests(this.#database, filter, limit, offset);
    return { rows, total };
  }

  /** A restored log can end before us, or go on differently: then our rows are of another history. */
  #stillHolds(): boolean {
    if (this.#mark.position === 0) return true;
    const { position: at, eventId } = this.#log.lastUpTo(this.#mark.position);
    return at === this.#mark.position && eventId === this.#mark.eventId;
  }

  #restart(): void {
    this.#startOver();
    this.#mark = { position: position(0), eventId: null };
    this.#rows = 0;
  }

  #startOver(): void {
    this.#inTransaction(() => {
      this.#database.exec('DROP TABLE IF EXISTS requests');
      createRequestTable(this.#database);
      this.#database
        .prepare('INSERT OR REPLACE INTO progress VALUES (?, ?, 0, NULL, 0)')
        .run(requestLog.name, requestLog.version);
    });
  }

  #save(mark: LogMark, rows: number): void {
    this.#database
      .prepare('UPDATE progress SET position = ?, eventId = ?, documents = ? WHERE projection = ?')
      .run(mark.position, mark.eventId, rows, requestLog.name);
    this.#mark = mark;
    this.#rows = rows;
  }

  #inTransaction(work: () => void): void {
    const before = { mark: this.#mark, rows: this.#rows };
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      this.#mark = before.mark;
      this.#rows = before.rows;
      throw error;
    }
  }
}

function project([at, type, version, time, text]: RawEvent, write: Write<{ requests: RequestLogRow }>): void {
  const data = upcast(type, version, JSON.parse(text)) as Projected<RequestEventType>['data'];
  handlers[type]?.({ data, position: position(at), time: instant(time) } as Projected<RequestEventType>, write);
}

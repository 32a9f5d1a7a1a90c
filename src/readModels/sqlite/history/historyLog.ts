import { existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { actorLabels, requestSubject, searchTextOf, sentenceOf, subjectOf } from '../../../../projections/history.ts';
import { type Instant, instant, type Position, position } from '../../../domain/brands.ts';
import { type KnownEvent, upcast } from '../../../domain/eventTypes.ts';
import type { Actor, EventMetadata } from '../../../log/eventLog.ts';
import type { HistoryEntry } from '../../historyQueries.ts';

/** What the indexes are made from. */
export interface Indexed {
  readonly position: Position;
  readonly time: Instant;
  readonly type: string;
  readonly actors: readonly string[];
  readonly subject: string;
  /** Undefined for an ordinary request: nobody would search for it by text. */
  readonly text: string | undefined;
}

type Row = [at: number, stream: string, type: string, version: number, time: number, metadata: string, data: string];
type IndexedRow = [...Row, ordinary: number];

const COLUMNS = 'position, stream, type, version, time, metadata, data';

/** Reads the log's file for the history, through a connection of its own. */
export class HistoryLog {
  readonly #path: string;
  #open: ReturnType<typeof open> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** The last event at or before `at`; undefined when there is none. */
  lastUpTo(at: number): { position: Position; eventId: string } | undefined {
    return this.#statements()?.last.get(at) as { position: Position; eventId: string } | undefined;
  }

  /** Events behind `after` up to `upTo`, in order. */
  *between(after: Position, upTo: Position): Generator<Indexed> {
    for (const row of (this.#statements()?.between.iterate(after, upTo) ?? []) as Iterable<unknown>) {
      yield indexed(row as IndexedRow);
    }
  }

  /** Times of events behind `after`, in order. */
  times(after: Position, limit: number): { position: Position; time: Instant }[] {
    return (this.#statements()?.times.all(after, limit) ?? []) as { position: Position; time: Instant }[];
  }

  entry(at: Position): HistoryEntry | undefined {
    const row = this.#statements()?.one.get(at) as unknown as Row | undefined;
    return row && entryOf(row);
  }

  close(): void {
    this.#open?.database.close();
    this.#open = undefined;
  }

  #statements() {
    // A log that nobody has begun yet is empty.
    if (!this.#open && existsSync(this.#path)) this.#open = open(this.#path);
    return this.#open;
  }
}

function open(path: string) {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  const asArrays = (statement: StatementSync) => {
    statement.setReturnArrays(true);
    return statement;
  };
  return {
    database,
    last: database.prepare(
      'SELECT position, id AS eventId FROM events WHERE position <= ? ORDER BY position DESC LIMIT 1',
    ),
    // Of an ordinary request (see isOrdinary) only the id is taken from its data: most of the bytes stay where they are.
    between: asArrays(
      database.prepare(
        `SELECT position, stream, type, version, time, metadata, iif(ordinary, data ->> '$.requestId', data), ordinary
         FROM (
           SELECT *, type = 'RequestAdmitted' OR (type = 'RequestCompleted' AND instr(data, '"errorCode":null') > 0)
             AS ordinary
           FROM events WHERE position > ? AND position <= ?
         ) ORDER BY position`,
      ),
    ),
    times: database.prepare('SELECT position, time FROM events WHERE position > ? ORDER BY position LIMIT ?'),
    one: asArrays(database.prepare(`SELECT ${COLUMNS} FROM events WHERE position = ?`)),
  };
}

function indexed([at, stream, type, version, time, metadata, data, ordinary]: IndexedRow): Indexed {
  const actors = actorLabels((JSON.parse(metadata) as EventMetadata).actor);
  const common = { position: position(at), time: instant(time), type, actors };
  if (ordinary) return { ...common, subject: requestSubject(data), text: undefined };
  const event = { type, data: upcast(type, version, JSON.parse(data)) } as KnownEvent;
  const subject = subjectOf(stream, event);
  return { ...common, subject, text: searchTextOf(event, subject) };
}

function entryOf([at, stream, type, version, time, metadata, data]: Row): HistoryEntry {
  const event = { type, data: upcast(type, version, JSON.parse(data)) } as KnownEvent;
  const { actor } = JSON.parse(metadata) as { actor: Actor };
  return {
    position: position(at),
    time: instant(time),
    type,
    subject: subjectOf(stream, event),
    actor,
    sentence: sentenceOf(event),
  };
}

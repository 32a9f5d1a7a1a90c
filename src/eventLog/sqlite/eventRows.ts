import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Position, position } from '../../domain/core/brands.ts';

/** What a fold takes of a row of `events`. */
export type EventColumns = [
  position: number,
  stream: string,
  revision: number,
  type: string,
  version: number,
  time: number,
  data: string,
];
export const EVENT_COLUMNS = 'position, stream, revision, type, version, time, data';

/** Long enough that the statement costs nothing, short enough that the event loop waits about 3 ms for a page. */
export const PAGE_SIZE = 512;

/** Rows of a page as arrays: with names they cost a third more. */
export function selectPage(database: DatabaseSync, columns: string, where: string): StatementSync {
  const statement = database.prepare(`SELECT ${columns} FROM events WHERE ${where} LIMIT ${PAGE_SIZE}`);
  statement.setReturnArrays(true);
  return statement;
}

export const IN_ORDER = 'position > ? AND position <= ? ORDER BY position';

/** Rows behind `after`, up to and with `upTo`, at most a page of them. */
export function eventRows(database: DatabaseSync): (after: Position, upTo: Position) => EventColumns[] {
  const statement = selectPage(database, EVENT_COLUMNS, IN_ORDER);
  return (after, upTo) => statement.all(after, upTo) as unknown as EventColumns[];
}

/** Position of the last event; 0 when there is none. */
export function lastPosition(database: DatabaseSync): () => Position {
  const statement = database.prepare('SELECT MAX(position) AS head FROM events');
  return () => position((statement.get()?.head as number | null) ?? 0);
}

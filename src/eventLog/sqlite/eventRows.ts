import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Position, position } from '../../domain/core/brands.ts';

/** The columns of `events` that a fold needs. */
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

/** Large enough that the cost of a statement does not matter, and small enough to block the event loop for only 3 ms. */
export const PAGE_SIZE = 512;

/** Prepares a statement that returns up to `limit` rows as arrays; objects would cost a third more. */
export function preparePage(
  database: DatabaseSync,
  columns: string,
  where: string,
  limit: number = PAGE_SIZE,
): StatementSync {
  const statement = database.prepare(`SELECT ${columns} FROM events WHERE ${where} LIMIT ${limit}`);
  statement.setReturnArrays(true);
  return statement;
}

export const IN_ORDER = 'position > ? AND position <= ? ORDER BY position';

/** Prepares a query for a page of rows after position `after`, up to and including `upTo`. */
export function prepareEventRows(database: DatabaseSync): (after: Position, upTo: Position) => EventColumns[] {
  const statement = preparePage(database, EVENT_COLUMNS, IN_ORDER);
  return (after, upTo) => statement.all(after, upTo) as unknown as EventColumns[];
}

/** Prepares a query for the position of the last event; 0 when there is none. */
export function prepareLastPosition(database: DatabaseSync): () => Position {
  const statement = database.prepare('SELECT MAX(position) AS head FROM events');
  return () => position((statement.get()?.head as number | null) ?? 0);
}

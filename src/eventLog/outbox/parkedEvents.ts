import type { DatabaseSync } from 'node:sqlite';
import type { Position } from '../../domain/core/brands.ts';
import type { RecordedEvent } from '../eventLog.ts';
import { EVENT_COLUMNS, type EventColumns } from '../sqlite/eventRows.ts';
import { canHaveParked, PARKED_SUMMARY, type ParkedSummary } from '../sqlite/park.ts';
import { toRecordedEvent } from '../sqlite/reader.ts';

/**
 * Events that may come after later ones of their node. Of others (the beginning of a session or of a request, a cool-down)
 * the end may be in the log already, so coming late they would begin again what is over.
 */
export const CAN_COME_LATE: ReadonlySet<string> = new Set<RecordedEvent['type']>([
  'RequestCompleted',
  'RequestRefused',
  'RefusalsCounted',
  'SessionEnded',
  'SignInFailed',
  'SignInsThrottled',
  'TokensRefreshed',
  'TokenRefreshFailed',
  'ClockJumped',
  'NodeStarted',
  'NodeStopped',
  'VerificationMade',
  'EvidenceMade',
  'RequestsExported',
  'CallersForgotten',
]);

/** Number of events that are parked in the file of an outbox. */
export function countParked(database: DatabaseSync): number {
  if (!canHaveParked(database)) return 0;
  return (database.prepare('SELECT count(*) AS count FROM parked').get() as { count: number }).count;
}

/** Parked events without their content, in the order in which they were recorded. */
export function* listParked(database: DatabaseSync): Generator<ParkedSummary> {
  if (!canHaveParked(database)) return;
  const rows = database.prepare(`SELECT ${PARKED_SUMMARY} FROM parked ORDER BY position`).iterate();
  for (const row of rows) yield row as unknown as ParkedSummary;
}

const PAGE_EVENTS = 512;

/** A page of parked events as a log would deliver them, after a position. @throws UnknownEventType */
export function readParked(database: DatabaseSync, after: Position): RecordedEvent[] {
  if (!canHaveParked(database)) return [];
  const sql = `SELECT ${EVENT_COLUMNS} FROM parked WHERE position > ? ORDER BY position LIMIT ${PAGE_EVENTS}`;
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return (statement.all(after) as unknown as EventColumns[]).map(toRecordedEvent);
}

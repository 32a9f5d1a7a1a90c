import type { DatabaseSync } from 'node:sqlite';
import { LOSSES_STREAM, LossAccepted } from '../../domain/losses/events.ts';

/** Position of the last accepted loss of the log: gaps up to there are known. 0 when there is none. */
export function readAcceptedUpTo(database: DatabaseSync): number {
  const statement = database.prepare(
    `SELECT coalesce(max(position), 0) AS position FROM events WHERE stream = ? AND type = ? AND data ->> '$.of' = 'log'`,
  );
  return statement.get(LOSSES_STREAM, LossAccepted.type)?.position as number;
}

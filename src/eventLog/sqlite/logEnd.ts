import type { DatabaseSync } from 'node:sqlite';
import { type Instant, type Position, position } from '../../domain/core/brands.ts';
import { CONTINUED_HASH } from '../hashChain.ts';

/** The last event of a log. */
export interface LogEnd {
  /** 0 for an empty log. */
  readonly position: Position;
  /** Its hash, or that of the event in whose place it stands; null for an empty log, and where it is not known. */
  readonly hash: string | null;
  readonly time: Instant | null;
}

export const EMPTY_LOG: LogEnd = { position: position(0), hash: null, time: null };

const COLUMNS = `position, id, ${CONTINUED_HASH} AS hash, time`;

/** The last event in a log's file. */
export const readLogEnd = (database: DatabaseSync): LogEnd =>
  toLogEnd(database.prepare(`SELECT ${COLUMNS} FROM events ORDER BY position DESC LIMIT 1`).get()) ?? EMPTY_LOG;

/** The event at a position, with its id; undefined when the file has none there. */
export function readLogEndAt(database: DatabaseSync, at: Position): (LogEnd & { readonly id: string }) | undefined {
  const row = database.prepare(`SELECT ${COLUMNS} FROM events WHERE position = ?`).get(at);
  const end = toLogEnd(row);
  return end && { ...end, id: row?.id as string };
}

function toLogEnd(row: Record<string, unknown> | undefined): LogEnd | undefined {
  if (!row) return undefined;
  const { position: at, hash, time } = row as { position: number; hash: string | null; time: number };
  return { position: position(at), hash, time: time as Instant };
}

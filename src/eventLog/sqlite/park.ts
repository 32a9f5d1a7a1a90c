import type { DatabaseSync } from 'node:sqlite';
import { EventParked } from '../../domain/outbox/events.ts';
import { METADATA_VERSION } from '../eventLog.ts';
import type { UnchainedMetadata } from '../hashChain.ts';
import { chainEvent } from '../hashChain.ts';

/** Events of an outbox that its store will never take. */
export interface ParkRequest {
  readonly stream: string;
  /** One event and what takes its place in the stream, or all events of the stream from a revision on. */
  readonly scope: 'event' | 'stream';
  /** Revision of that event, or of the first one. */
  readonly revision: number;
  /** Why the store does not take them. */
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly parkedAt: number;
  /** Id of the event that takes the place of a single one. */
  readonly standInId: string;
  /** Node id, for the metadata of that event. */
  readonly node: string;
}

/** A parked event, without its content. */
export interface ParkedSummary {
  readonly stream: string;
  readonly id: string;
  readonly type: string;
  /** Of its data and metadata. */
  readonly bytes: number;
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly parkedAt: number;
}

/** What a request parked. */
export interface Parked {
  readonly count: number;
  /** Number of events that are not in their stream any more. */
  readonly removed: number;
  /** The first parked ones. */
  readonly first: readonly ParkedSummary[];
}

/** Maximum length of a text in what takes the place of an event. */
const MAX_TEXT = 300;

/** How many events a result names; `svc outbox list` shows all. */
const MAX_NAMED = 20;

/** The columns of a parked event: those of `events`, and why it is there. */
export const PARKED_COLUMNS = 'position, stream, revision, id, type, version, time, data, metadata, reason, parkedAt';
export const PARKED_SUMMARY =
  'stream, id, type, length(CAST(data AS BLOB)) + length(CAST(metadata AS BLOB)) AS bytes, reason, parkedAt';

/** Created when it is first needed, so that a file of an older version gets it as well. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS parked (
    position INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    revision INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    version INTEGER NOT NULL,
    time INTEGER NOT NULL,
    data TEXT NOT NULL,
    metadata TEXT NOT NULL,
    reason TEXT NOT NULL,
    parkedAt INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS parkedUpTo (stream TEXT PRIMARY KEY, revision INTEGER NOT NULL) STRICT;
`;

/**
 * The last revision of each stream of which events were parked, also if these were put back or taken out since. They are
 * not missing in their stream.
 */
export const readParkedRevisions = (
  database: DatabaseSync,
): { readonly stream: string; readonly revision: number }[] =>
  canHaveParked(database)
    ? (database.prepare('SELECT stream, revision FROM parkedUpTo').all() as { stream: string; revision: number }[])
    : [];

/** Creates the tables of parked events where they are missing. */
export const createParkedTables = (database: DatabaseSync): void => database.exec(SCHEMA);

/** Whether a file has parked events: older versions create none. */
export const canHaveParked = (database: DatabaseSync): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'parked'").get() !== undefined;

/**
 * Moves events to the table of parked events, in one transaction. A single event is replaced by an `EventParked` at its
 * revision, which the store gets in its place (docs/decisions/0006-chain-rule.md).
 * @returns what was parked; nothing when all of it was parked before
 * @throws the error of SQLite; nothing is changed then
 */
export function park(database: DatabaseSync, request: ParkRequest): Parked {
  database.exec('BEGIN IMMEDIATE');
  try {
    createParkedTables(database);
    const parked = request.scope === 'event' ? parkOne(database, request) : parkStream(database, request);
    database.exec('COMMIT');
    return parked;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** What takes the place of an event has none of its own. */
const IS_EVENT = `type <> '${EventParked.type}'`;
const COPIED = PARKED_COLUMNS.replace('reason, parkedAt', '? AS reason, ? AS parkedAt');

function copy(database: DatabaseSync, where: string, { stream, revision, reason, parkedAt }: ParkRequest): Parked {
  const source = `SELECT ${COPIED} FROM events WHERE ${where} AND ${IS_EVENT}`;
  const parameters = [reason, parkedAt, stream, revision] as const;
  const named = `SELECT ${PARKED_SUMMARY} FROM (${source}) ORDER BY position LIMIT ${MAX_NAMED}`;
  const first = database.prepare(named).all(...parameters) as unknown as ParkedSummary[];
  const { changes } = database.prepare(`INSERT INTO parked (${PARKED_COLUMNS}) ${source}`).run(...parameters);
  database
    .prepare(
      `INSERT INTO parkedUpTo (stream, revision)
       SELECT stream, max(revision) FROM parked WHERE stream = ? GROUP BY stream
       ON CONFLICT (stream) DO UPDATE SET revision = max(revision, excluded.revision)`,
    )
    .run(stream);
  return { count: Number(changes), removed: 0, first };
}

function parkOne(database: DatabaseSync, request: ParkRequest): Parked {
  const { stream, revision, reason, parkedAt, standInId, node } = request;
  const parked = copy(database, 'stream = ? AND revision = ?', request);
  const [event] = parked.first;
  if (!event) return parked;
  const row = database.prepare('SELECT metadata FROM events WHERE id = ?').get(event.id) as { metadata: string };
  const { hash, previousHash, correlationId } = JSON.parse(row.metadata);
  const metadata: UnchainedMetadata = {
    schemaVersion: EventParked.version,
    metadataVersion: METADATA_VERSION,
    actor: { kind: 'system', reason: 'event parked' },
    // Whatever made the event too large must not be in what takes its place.
    correlationId: correlationId.length <= MAX_TEXT ? correlationId : event.id,
    causationId: event.id,
    node,
  };
  const { data } = EventParked({
    eventId: event.id,
    eventType: event.type,
    hash,
    bytes: event.bytes,
    reason: reason.slice(0, MAX_TEXT),
  });
  const standIn = {
    id: standInId,
    type: EventParked.type,
    time: parkedAt,
    data: JSON.stringify(data),
    metadata: JSON.stringify(metadata),
  };
  const link = chainEvent(standIn, stream, revision, previousHash);
  database
    .prepare(
      'UPDATE events SET id = ?, type = ?, version = ?, time = ?, data = ?, metadata = ? WHERE stream = ? AND revision = ?',
    )
    .run(standInId, standIn.type, EventParked.version, parkedAt, standIn.data, link.metadata, stream, revision);
  return parked;
}

function parkStream(database: DatabaseSync, request: ParkRequest): Parked {
  const parked = copy(database, 'stream = ? AND revision >= ?', request);
  const remove = database.prepare('DELETE FROM events WHERE stream = ? AND revision >= ?');
  return { ...parked, removed: Number(remove.run(request.stream, request.revision).changes) };
}

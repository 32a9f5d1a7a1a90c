import type { DatabaseSync } from 'node:sqlite';
import { dailyStream } from '../dailyStream.ts';
import { type ChainHead, chainEvent, emptyChain } from '../hashChain.ts';
import { openForWriting } from '../sqlite/database.ts';
import { prepareInsertEvents } from '../sqlite/insertEvents.ts';
import { canHaveParked, PARKED_COLUMNS } from '../sqlite/park.ts';
import { CAN_COME_LATE } from './parkedEvents.ts';

export interface RetryOptions {
  /** The file of the outbox; nothing else may have it open. */
  readonly path: string;
  readonly node: string;
  /** Id of a start that has written nothing yet: the events go to streams of their own. */
  readonly boot: string;
  /** Ids of the events to retry; all when empty. */
  readonly ids: readonly string[];
}

export interface Retried {
  readonly retried: number;
  /** Events that stay parked, because what they began may be over. */
  readonly skipped: number;
}

interface ParkedRow {
  readonly position: number;
  readonly stream: string;
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly time: number;
  readonly data: string;
  readonly metadata: string;
}

/**
 * Puts parked events back into an outbox, in one transaction: with their ids, times and data, at the end of a fresh stream of
 * their category and day. The next start drains them.
 */
export function retryParked({ path, node, boot, ids }: RetryOptions): Retried {
  const database = openForWriting({ path });
  try {
    if (!canHaveParked(database)) return { retried: 0, skipped: 0 };
    database.exec('BEGIN IMMEDIATE');
    const append = createAppend(database, node, boot);
    const remove = database.prepare('DELETE FROM parked WHERE position = ?');
    let [retried, skipped] = [0, 0];
    for (const row of parkedRows(database, ids)) {
      if (CAN_COME_LATE.has(row.type)) {
        append(row);
        remove.run(row.position);
        retried += 1;
      } else skipped += 1;
    }
    database.exec('COMMIT');
    return { retried, skipped };
  } finally {
    // Rolls back what was not committed.
    database.close();
  }
}

const PAGE_EVENTS = 500;

function* parkedRows(database: DatabaseSync, ids: readonly string[]): Generator<ParkedRow> {
  const filter = ids.length === 0 ? '' : 'AND id IN (SELECT value FROM json_each(?))';
  const statement = database.prepare(
    `SELECT ${PARKED_COLUMNS} FROM parked WHERE position > ? ${filter} ORDER BY position LIMIT ${PAGE_EVENTS}`,
  );
  for (let after = 0; ; ) {
    const rows = statement.all(after, ...(ids.length === 0 ? [] : [JSON.stringify(ids)])) as unknown as ParkedRow[];
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    after = last.position;
  }
}

/** Appends events to fresh streams, one per category and day. */
function createAppend(database: DatabaseSync, node: string, boot: string): (row: ParkedRow) => void {
  const insert = prepareInsertEvents(database);
  const heads = new Map<string, ChainHead>();
  return ({ stream: parkedIn, id, type, version, time, data, metadata: stored }) => {
    const category = parkedIn.slice(0, parkedIn.indexOf('-'));
    const stream = dailyStream(`${category}-${node}.${boot}_`)(time);
    const head = heads.get(stream) ?? emptyChain;
    const revision = head.revision + 1;
    const { previousHash: _previous, hash: _hash, ...metadata } = JSON.parse(stored);
    const event = { id, type, time, data, metadata: JSON.stringify(metadata) };
    const link = chainEvent(event, stream, revision, head.hash);
    insert([[stream, revision, id, type, version, time, data, link.metadata]]);
    heads.set(stream, { revision, hash: link.hash });
  };
}

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Position, position } from '../../domain/core/brands.ts';
import type { LiveRows, RequestIdEntry } from './liveRows.ts';
import { RequestIdFragments, SEGMENT_SIZE } from './requestIdFragments.ts';

/**
 * Ids are random, so an index that is updated row by row would change another page with every row. Instead, the entries of a
 * segment of positions are inserted together, sorted, once the segment is complete. In the last segment ids are looked up in
 * the rows.
 */
const LAYOUT = `
  CREATE TABLE IF NOT EXISTS admissions (position INTEGER PRIMARY KEY, requestId TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS requestIds (
    stretch INTEGER,
    requestId TEXT,
    position INTEGER,
    requestedAt INTEGER,
    kindId INTEGER,
    PRIMARY KEY (stretch, requestId, position)
  ) STRICT, WITHOUT ROWID;
`;

/** Finds the events of a request: its row, and its admission if it was announced. */
export class RequestIdIndex {
  readonly fragments: RequestIdFragments;
  readonly #insertAdmission: StatementSync;
  readonly #insertSorted: StatementSync;
  readonly #selectIds: StatementSync;
  readonly #deleteAdmissions: StatementSync;
  readonly #selectIndexed: StatementSync;
  readonly #selectUnindexed: StatementSync;
  readonly #selectAdmissions: StatementSync;
  #live: LiveRows | undefined;

  constructor(database: DatabaseSync) {
    database.exec(LAYOUT);
    this.fragments = new RequestIdFragments(database);
    this.#insertAdmission = database.prepare('INSERT INTO admissions VALUES (?, ?)');
    this.#insertSorted = database.prepare(`
      INSERT INTO requestIds
      SELECT ?1, requestId, position, requestedAt, kindId FROM requests WHERE position >= ?2 AND position < ?3
      UNION ALL
      SELECT ?1, requestId, position, NULL, NULL FROM admissions WHERE position >= ?2 AND position < ?3
      ORDER BY 2, 3`);
    this.#selectIds = database.prepare('SELECT position, requestId FROM requests WHERE position >= ? AND position < ?');
    this.#selectIds.setReturnArrays(true);
    this.#selectAdmissions = database.prepare(
      'SELECT requestId, position, NULL, NULL FROM admissions WHERE position >= ? AND position < ?',
    );
    this.#selectAdmissions.setReturnArrays(true);
    this.#deleteAdmissions = database.prepare('DELETE FROM admissions WHERE position < ?');
    this.#selectIndexed = database.prepare(
      'SELECT position FROM requestIds WHERE stretch = ? AND requestId = ? AND position > ? AND position <= ?',
    );
    this.#selectUnindexed = database.prepare(`
      SELECT position FROM requests WHERE position >= ?2 AND position > ?3 AND position <= ?4 AND requestId = ?1
      UNION ALL
      SELECT position FROM admissions WHERE position >= ?2 AND position > ?3 AND position <= ?4 AND requestId = ?1`);
  }

  /** From now on, entries are compared with those of another file in place of being written. */
  compareWith(live: LiveRows): void {
    this.#live = live;
  }

  addAdmission(at: Position, requestId: string): void {
    this.#insertAdmission.run(at, requestId);
  }

  /** Indexes the segments that became complete, within the caller's transaction. */
  flush(before: Position, upTo: Position): void {
    for (let segment = completeSegments(before); segment < completeSegments(upTo); segment++) {
      const to = (segment + 1) * SEGMENT_SIZE;
      const ids = this.#live ? this.#compare(this.#live, segment) : this.#insert(segment);
      this.#deleteAdmissions.run(to);
      this.fragments.add(segment, ids);
    }
  }

  /** @returns the ids of requests with their positions */
  #insert(segment: number): [position: number, requestId: string][] {
    const [from, to] = [segment * SEGMENT_SIZE, (segment + 1) * SEGMENT_SIZE];
    this.#insertSorted.run(segment, from, to);
    return this.#selectIds.all(from, to) as unknown as [number, string][];
  }

  #compare(live: LiveRows, segment: number): [position: number, requestId: string][] {
    const [from, to] = [segment * SEGMENT_SIZE, (segment + 1) * SEGMENT_SIZE];
    return live.compareIds(segment, this.#selectAdmissions.all(from, to) as unknown as RequestIdEntry[]);
  }

  /** Positions of a request after `after` up to `upTo`, unordered. @param head position that the read models reach */
  positionsOf(requestId: string, after: number, upTo: number, head: Position): Position[] {
    const complete = completeSegments(head);
    const [first, end] = [
      Math.floor((after + 1) / SEGMENT_SIZE),
      Math.min(Math.floor(upTo / SEGMENT_SIZE) + 1, complete),
    ];
    const rows = this.#selectUnindexed.all(requestId, complete * SEGMENT_SIZE, after, upTo);
    for (let segment = first; segment < end; segment++) {
      rows.push(...this.#selectIndexed.all(segment, requestId, after, upTo));
    }
    return rows.map((row) => position(row.position as number));
  }
}

/** Number of complete segments in read models that reach this position. */
export const completeSegments = (head: Position): number => Math.floor((head + 1) / SEGMENT_SIZE);

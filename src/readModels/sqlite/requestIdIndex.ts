import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Position, position } from '../../domain/core/brands.ts';
import { RequestIdFragments, SEGMENT_SIZE } from './requestIdFragments.ts';

/**
 * Ids are random: an index that follows row by row would change another page with every row. So a stretch of neighbours
 * gets its entries in one go, sorted, as soon as it is whole; in the last stretch ids are looked for among the rows.
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

/** Finds what belongs to a request: its row, and its admission if there was one. */
export class RequestIdIndex {
  readonly fragments: RequestIdFragments;
  readonly #insertAdmission: StatementSync;
  readonly #sort: StatementSync;
  readonly #ids: StatementSync;
  readonly #forget: StatementSync;
  readonly #inStretch: StatementSync;
  readonly #inOpen: StatementSync;

  constructor(database: DatabaseSync) {
    database.exec(LAYOUT);
    this.fragments = new RequestIdFragments(database);
    this.#insertAdmission = database.prepare('INSERT INTO admissions VALUES (?, ?)');
    this.#sort = database.prepare(`
      INSERT INTO requestIds
      SELECT ?1, requestId, position, requestedAt, kindId FROM requests WHERE position >= ?2 AND position < ?3
      UNION ALL
      SELECT ?1, requestId, position, NULL, NULL FROM admissions WHERE position >= ?2 AND position < ?3
      ORDER BY 2, 3`);
    this.#ids = database.prepare('SELECT position, requestId FROM requests WHERE position >= ? AND position < ?');
    this.#ids.setReturnArrays(true);
    this.#forget = database.prepare('DELETE FROM admissions WHERE position < ?');
    this.#inStretch = database.prepare(
      'SELECT position FROM requestIds WHERE stretch = ? AND requestId = ? AND position > ? AND position <= ?',
    );
    this.#inOpen = database.prepare(`
      SELECT position FROM requests WHERE position >= ?2 AND position > ?3 AND position <= ?4 AND requestId = ?1
      UNION ALL
      SELECT position FROM admissions WHERE position >= ?2 AND position > ?3 AND position <= ?4 AND requestId = ?1`);
  }

  addAdmission(at: Position, requestId: string): void {
    this.#insertAdmission.run(at, requestId);
  }

  /** Sorts the stretches that became whole, within the caller's transaction. */
  flush(before: Position, upTo: Position): void {
    for (let stretch = completeSegments(before); stretch < completeSegments(upTo); stretch++) {
      const [from, to] = [stretch * SEGMENT_SIZE, (stretch + 1) * SEGMENT_SIZE];
      this.#sort.run(stretch, from, to);
      this.#forget.run(to);
      this.fragments.add(stretch, this.#ids.all(from, to) as unknown as [number, string][]);
    }
  }

  /** Positions of a request behind `after` up to `upTo`, in no order. @param head how far the read models reach */
  positionsOf(requestId: string, after: number, upTo: number, head: Position): Position[] {
    const whole = completeSegments(head);
    const [first, behind] = [
      Math.floor((after + 1) / SEGMENT_SIZE),
      Math.min(Math.floor(upTo / SEGMENT_SIZE) + 1, whole),
    ];
    const rows = this.#inOpen.all(requestId, whole * SEGMENT_SIZE, after, upTo);
    for (let stretch = first; stretch < behind; stretch++) {
      rows.push(...this.#inStretch.all(stretch, requestId, after, upTo));
    }
    return rows.map((row) => position(row.position as number));
  }
}

/** How many stretches are complete in read models that reach so far. */
export const completeSegments = (head: Position): number => Math.floor((head + 1) / SEGMENT_SIZE);

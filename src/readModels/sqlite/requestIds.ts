import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Position, position } from '../../domain/brands.ts';

/** So many neighbouring positions share one stretch of the index of request ids. */
export const STRETCH = 16_384;

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
export class RequestIds {
  readonly #insertAdmission: StatementSync;
  readonly #sort: StatementSync;
  readonly #forget: StatementSync;
  readonly #select: StatementSync;

  constructor(database: DatabaseSync) {
    database.exec(LAYOUT);
    this.#insertAdmission = database.prepare('INSERT INTO admissions VALUES (?, ?)');
    this.#sort = database.prepare(`
      INSERT INTO requestIds
      SELECT ?1, requestId, position, requestedAt, kindId FROM requests WHERE position >= ?2 AND position < ?3
      UNION ALL
      SELECT ?1, requestId, position, NULL, NULL FROM admissions WHERE position >= ?2 AND position < ?3
      ORDER BY 2, 3`);
    this.#forget = database.prepare('DELETE FROM admissions WHERE position < ?');
    this.#select = database.prepare(`
      SELECT position FROM requestIds
      WHERE stretch IN (SELECT value FROM json_each(?1)) AND requestId = ?2 AND position > ?4 AND position <= ?5
      UNION ALL
      SELECT position FROM requests WHERE position >= ?3 AND position > ?4 AND position <= ?5 AND requestId = ?2
      UNION ALL
      SELECT position FROM admissions WHERE position >= ?3 AND position > ?4 AND position <= ?5 AND requestId = ?2`);
  }

  addAdmission(at: Position, requestId: string): void {
    this.#insertAdmission.run(at, requestId);
  }

  /** Sorts the stretches that became whole, within the caller's transaction. */
  flush(before: Position, upTo: Position): void {
    for (let stretch = wholeStretches(before); stretch < wholeStretches(upTo); stretch++) {
      const behind = (stretch + 1) * STRETCH;
      this.#sort.run(stretch, stretch * STRETCH, behind);
      this.#forget.run(behind);
    }
  }

  /** Positions of a request behind `after` up to `upTo`, in no order. */
  positionsOf(requestId: string, after: number, upTo: number, head: Position): Position[] {
    const whole = wholeStretches(head);
    const [first, last] = [Math.floor((after + 1) / STRETCH), Math.min(Math.floor(upTo / STRETCH), whole - 1)];
    const stretches = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
    const rows = this.#select.all(JSON.stringify(stretches), requestId, whole * STRETCH, after, upTo);
    return rows.map((row) => position(row.position as number));
  }
}

/** How many stretches are complete in read models that reach so far. */
export const wholeStretches = (head: Position): number => Math.floor((head + 1) / STRETCH);

import type { DatabaseSync } from 'node:sqlite';
import type { StoredRow } from '../../integrity/leaf/leafEntry.ts';
import { createMatcher, type EventSelection, type RowCondition, rowCondition } from './selection.ts';

const COLUMNS = 'position, stream, revision, id, type, version, time, data, metadata';
/** Positions that one statement examines: no read lasts so long that the writer's checkpoints are held up. */
const POSITIONS = 16_384;
const ROWS_PER_READ = 256;

/** The first and the last position of a period; no position when the last one is before the first. */
export interface Period {
  readonly first: number;
  readonly last: number;
}

/** Reads the events of a log that a bundle is to have, in order of positions, a few at a time. */
export class SelectedRows {
  readonly #database: DatabaseSync;
  readonly #selection: EventSelection;

  /** @param database of a log or a mirror, opened for reading */
  constructor(database: DatabaseSync, selection: EventSelection) {
    this.#database = database;
    this.#selection = selection;
  }

  /** The positions of the period, without those of earlier events that belong to an incident. */
  period(): Period {
    const { since, until } = this.#selection;
    const last = this.#lastPosition();
    return {
      first: since === undefined ? 1 : this.#positionBefore(since, last) + 1,
      last: until === undefined ? last : this.#positionBefore(until + 1, last),
    };
  }

  /** @param onPosition called now and then with the position up to which events were examined */
  *read({ first, last }: Period, onPosition: (position: number) => void = () => {}): Generator<StoredRow> {
    if (this.#selection.isIncident && first <= last) yield* this.#stateBefore(first, onPosition);
    const matches = createMatcher(this.#selection);
    for (const row of this.#rows(first, last, rowCondition(this.#selection), onPosition)) if (matches(row)) yield row;
  }

  /** All events before a position but those of requests, and of the usage of each account only the last one. */
  *#stateBefore(position: number, onPosition: (position: number) => void): Generator<StoredRow> {
    const observed = this.#database
      .prepare(
        `SELECT max(position) AS position FROM events WHERE type = 'AccountUsageObserved' AND position < ?
         GROUP BY data ->> '$.accountId'`,
      )
      .all(position);
    const lastObserved = new Set(observed.map((row) => row.position as number));
    const administrative = { sql: "stream NOT LIKE 'requests-%'", values: [] };
    for (const row of this.#rows(1, position - 1, administrative, onPosition)) {
      if (row.type !== 'AccountUsageObserved' || lastObserved.has(row.position)) yield row;
    }
  }

  *#rows(
    first: number,
    last: number,
    { sql, values }: RowCondition,
    onPosition: (position: number) => void,
  ): Generator<StoredRow> {
    const statement = this.#database.prepare(
      `SELECT ${COLUMNS} FROM events WHERE position > ? AND position <= ? AND ${sql} ORDER BY position LIMIT ${ROWS_PER_READ}`,
    );
    for (let after = first - 1; after < last; ) {
      const end = Math.min(after + POSITIONS, last);
      const rows = statement.all(after, end, ...values) as unknown as StoredRow[];
      yield* rows;
      after = rows.length === ROWS_PER_READ ? (rows.at(-1) as StoredRow).position : end;
      onPosition(after);
    }
  }

  /** The last position up to which no event has this time or a later one. */
  #positionBefore(time: number, last: number): number {
    const statement = this.#database.prepare(
      'SELECT min(position) AS position FROM events WHERE position > ? AND position <= ? AND time >= ?',
    );
    for (let after = 0; after < last; after += POSITIONS) {
      const found = statement.get(after, after + POSITIONS, time)?.position;
      if (typeof found === 'number') return found - 1;
    }
    return last;
  }

  #lastPosition(): number {
    return (this.#database.prepare('SELECT max(position) AS position FROM events').get()?.position ?? 0) as number;
  }
}

import type { DatabaseSync } from 'node:sqlite';
import { partAt, type Stretch } from '../../domain/clock/stretches.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import type { StoredRow } from '../../integrity/leaf/leafEntry.ts';
import type { FoundRequests } from '../../readModels/sqlite/findRequest.ts';
import { readStretches } from './readStretches.ts';
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
  readonly #found: FoundRequests | undefined;

  /**
   * @param database of a log or a mirror, opened for reading
   * @param found where the requests of the selection are; without it all events are examined
   */
  constructor(database: DatabaseSync, selection: EventSelection, found?: FoundRequests) {
    this.#database = database;
    this.#selection = selection;
    this.#found = found;
  }

  /** The positions of the period, without those of earlier events that belong to an incident. */
  period(): Period {
    const { since, until } = this.#selection;
    const last = this.#lastPosition();
    if (since === undefined && until === undefined) return { first: 1, last };
    const stretches = readStretches(this.#database, last);
    return {
      first: since === undefined ? 1 : this.#positionAt(instant(since - 1), stretches, last) + 1,
      last: until === undefined ? last : this.#positionAt(instant(until), stretches, last),
    };
  }

  /** @param onPosition called now and then with the position up to which events were examined */
  *read({ first, last }: Period, onPosition: (position: number) => void = () => {}): Generator<StoredRow> {
    if (this.#selection.isIncident && first <= last) yield* this.#stateBefore(first, onPosition);
    const matches = createMatcher(this.#selection);
    const condition = rowCondition(this.#selection);
    const rows = this.#found
      ? this.#near(this.#found, { first, last }, condition, onPosition)
      : this.#rows(first, last, condition, onPosition);
    for (const row of rows) if (matches(row)) yield row;
  }

  /**
   * The events at the found positions, those of all streams but the ones of requests, which only have events about their own
   * requests, and what is behind the positions that were searched.
   */
  *#near(
    { head, positions }: FoundRequests,
    { first, last }: Period,
    condition: RowCondition,
    onPosition: (position: number) => void,
  ): Generator<StoredRow> {
    const before = [...positions, ...this.#administrative(condition)].filter((at) => at >= first && at <= last);
    const statement = this.#database.prepare(`SELECT ${COLUMNS} FROM events WHERE position = ?`);
    for (const position of [...new Set(before)].toSorted((left, right) => left - right)) {
      if (position > head) break;
      yield* statement.all(position) as unknown as StoredRow[];
    }
    yield* this.#rows(Math.max(first, head + 1), last, condition, onPosition);
  }

  /** Positions of the events that meet a condition, in all streams but those of requests. */
  *#administrative({ sql, values }: RowCondition): Generator<number> {
    for (const [after, before] of [
      ['', 'requests-'],
      ['requests.', '\u{10FFFF}'],
    ] as const) {
      const statement = this.#database.prepare(
        `SELECT stream, revision, position, ${sql} AS isFound FROM events
         WHERE (stream, revision) > (?, ?) AND stream < ? ORDER BY stream, revision LIMIT ${POSITIONS}`,
      );
      let last: [stream: string, revision: number] = [after, -1];
      for (;;) {
        const rows = statement.all(...values, ...last, before);
        for (const { position, isFound } of rows) if (isFound === 1) yield position as number;
        if (rows.length < POSITIONS) break;
        const { stream, revision } = rows.at(-1) as Record<string, unknown>;
        last = [stream as string, revision as number];
      }
    }
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

  /** The last position that was written by a time, as with `?at=`. */
  #positionAt(time: Instant, stretches: readonly Stretch[], last: number): number {
    const statement = this.#database.prepare(
      'SELECT min(position) AS position FROM events WHERE position > ? AND position <= ? AND time > ?',
    );
    const part = partAt(stretches, time);
    const until = Math.min(part.until, last);
    for (let after: number = part.after; after < until; after += POSITIONS) {
      const found = statement.get(after, Math.min(after + POSITIONS, until), time)?.position;
      if (typeof found === 'number') return found - 1;
    }
    return until;
  }

  #lastPosition(): number {
    return (this.#database.prepare('SELECT max(position) AS position FROM events').get()?.position ?? 0) as number;
  }
}

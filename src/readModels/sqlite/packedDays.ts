import type { DatabaseSync } from 'node:sqlite';
import { ColumnCache } from './columnCache.ts';

/** Bytes as they are in the file: some three kilobytes for a group that has requests in each quarter of an hour. */
const MAX_CACHED_BYTES = 24 * 2 ** 20;
const DAY_MS = 86_400_000;
/** More than the id of any group: those of a later day have larger ids in the cache. */
const MAX_GROUPS = 2 ** 32;
const NO_SUMS = new Uint8Array(0);
/** Rows of few groups are looked up one by one; of more, all are read. */
const FEW = 0.25;

export interface WantedDays {
  readonly grouping: number;
  /** The first moments of days of UTC, in their order. */
  readonly days: readonly number[];
  /** The ids of groups. */
  readonly groups: readonly number[];
  /** Changes with every row that is written: what is read from a snapshot that is older is not kept. */
  readonly writes: number;
}

/** The sums of a group in the quarters of an hour of a day, packed as in the table. */
export type PackedDayRow = readonly [day: number, groupId: number, sums: Uint8Array];

/**
 * The packed days that breakdowns read last. Past days hardly ever change, and each chart by hours, or by days of a zone other than UTC,
 * reads those of a year.
 */
export class PackedDays {
  readonly #cache: ColumnCache<Uint8Array>;
  #writes = 0;

  /** @param maxBytes of rows in memory */
  constructor(maxBytes = MAX_CACHED_BYTES) {
    this.#cache = new ColumnCache(maxBytes);
  }

  get writes(): number {
    return this.#writes;
  }

  /** Called when a row is written. */
  forget(day: number, groupId: number): void {
    this.#writes++;
    this.#cache.delete(idOf(day, groupId));
  }

  clear(): void {
    this.#writes++;
    this.#cache.clear();
  }

  /** Passes on the rows of groups, those of the latest day first; without bytes where there is none, so that turns stay short. */
  *in(database: DatabaseSync, { grouping, days, groups, writes }: WantedDays): Generator<PackedDayRow> {
    const select = database.prepare('SELECT groupId, sums FROM figureDays WHERE grouping = ? AND day = ?');
    select.setReturnArrays(true);
    const selectOne = database.prepare('SELECT sums FROM figureDays WHERE grouping = ? AND day = ? AND groupId = ?');
    selectOne.setReturnArrays(true);
    const count = database.prepare('SELECT COUNT(*) AS count FROM figureGroups WHERE grouping = ?');
    const isFew = groups.length < (count.get(grouping)?.count as number) * FEW;
    this.#cache.beginQuery();
    for (const day of days.toReversed()) {
      let rows: Map<number, Uint8Array> | undefined;
      const read = (groupId: number): Uint8Array => {
        if (isFew)
          return (selectOne.get(grouping, day, groupId) as unknown as [Uint8Array] | undefined)?.[0] ?? NO_SUMS;
        rows ??= new Map(select.all(grouping, day) as unknown as [number, Uint8Array][]);
        return rows.get(groupId) ?? NO_SUMS;
      };
      for (const groupId of groups) {
        const isKept = writes === this.#writes;
        const sums = isKept ? this.#cache.get(idOf(day, groupId), () => read(groupId)) : read(groupId);
        yield [day, groupId, sums];
      }
    }
  }
}

const idOf = (day: number, groupId: number): number => (day / DAY_MS) * MAX_GROUPS + groupId;

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { PERIODS, type Period, startOf } from '../../../projections/periods.ts';
import type { Instant } from '../../domain/core/brands.ts';

type Key = number | string;
/** Maps groups to their sums, in the order of the columns. */
type Sums = Map<Key, number[]>;

/** The number by which the table stores a period. */
export const periodNumber = (period: Period): number => PERIODS.indexOf(period);

interface RollUpTableOptions<Sum extends string> {
  readonly table: string;
  readonly group: { readonly name: string; readonly type: 'INTEGER' | 'TEXT' };
  /** The shortest first; each one consists of whole periods of the one before. */
  readonly periods: readonly [Period, ...Period[]];
  readonly sums: readonly Sum[];
  /** Called with each period whose sums have changed. */
  readonly onChange?: (period: Period, start: Instant) => void;
}

/**
 * Sums by period and group. A batch is summed up in memory and takes one upsert per changed row, in the order of the table.
 */
export class RollUpTable<Sum extends string> {
  readonly #options: RollUpTableOptions<Sum>;
  readonly #upsert: StatementSync;
  /** By start of the shortest period. */
  #sums = new Map<Instant, Sums>();

  constructor(database: DatabaseSync, options: RollUpTableOptions<Sum>) {
    const { table, group, sums } = options;
    this.#options = options;
    database.exec(`
      CREATE TABLE IF NOT EXISTS ${table} (
        period INTEGER NOT NULL,
        start INTEGER NOT NULL,
        ${group.name} ${group.type} NOT NULL,
        ${sums.map((name) => `${name} INTEGER NOT NULL`).join(', ')},
        PRIMARY KEY (period, start, ${group.name})
      ) STRICT, WITHOUT ROWID`);
    this.#upsert = database.prepare(`
      INSERT INTO ${table} (period, start, ${group.name}, ${sums.join(', ')})
      VALUES (?, ?, ?, ${sums.map(() => '?').join(', ')})
      ON CONFLICT DO UPDATE SET ${sums.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`);
  }

  add(at: Instant, group: Key, sums: Readonly<Record<Sum, number>>): void {
    const names = this.#options.sums;
    const into = sumsOf(this.#sums, startOf(this.#options.periods[0], at), group, names.length);
    for (let index = 0; index < names.length; index++) {
      into[index] = (into[index] as number) + sums[names[index] as Sum];
    }
  }

  /** Writes the sums added since the last flush, within the caller's transaction. */
  flush(): void {
    const [shortest, ...others] = this.#options.periods;
    let finer = this.#sums;
    this.#sums = new Map();
    this.#write(shortest, finer);
    for (const period of others) {
      finer = coarser(finer, period, this.#options.sums.length);
      this.#write(period, finer);
    }
  }

  /** Discards the sums added since the last flush. */
  clear(): void {
    this.#sums = new Map();
  }

  #write(period: Period, byStart: ReadonlyMap<Instant, Sums>): void {
    for (const start of [...byStart.keys()].sort((a, b) => a - b)) {
      const groups = [...(byStart.get(start) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
      for (const [group, sums] of groups) this.#upsert.run(periodNumber(period), start, group, ...sums);
      this.#options.onChange?.(period, start);
    }
  }
}

function coarser(finer: ReadonlyMap<Instant, Sums>, period: Period, length: number): Map<Instant, Sums> {
  const result = new Map<Instant, Sums>();
  for (const [start, groups] of finer) {
    for (const [group, sums] of groups) {
      const into = sumsOf(result, startOf(period, start), group, length);
      for (let index = 0; index < length; index++) into[index] = (into[index] as number) + (sums[index] as number);
    }
  }
  return result;
}

function sumsOf(byStart: Map<Instant, Sums>, start: Instant, group: Key, length: number): number[] {
  let groups = byStart.get(start);
  if (!groups) {
    groups = new Map();
    byStart.set(start, groups);
  }
  let sums = groups.get(group);
  if (!sums) {
    sums = new Array<number>(length).fill(0);
    groups.set(group, sums);
  }
  return sums;
}

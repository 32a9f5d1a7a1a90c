import type { FIGURE_PERIODS } from '../../../projections/figures.ts';
import { endOf, type Period, startOf } from '../../../projections/periods.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';

type FigurePeriod = (typeof FIGURE_PERIODS)[number];

/** A start, sums and both sketches. */
export type TotalRow = readonly [start: number, ...(number | Uint8Array)[]];

/** Rows of about a kilobyte each. */
const MAX_ROWS = 12_000;
/** Rows that are read at once, so that a turn of a breakdown stays short. */
const ROWS_AT_ONCE = 128;
/** What is kept and forgotten together, and the number of its rows. */
const BLOCKS = {
  quarter: { block: 'hour', rows: 4 },
  hour: { block: 'day', rows: 24 },
  day: { block: 'month', rows: 31 },
  month: { block: 'month', rows: 1 },
} as const satisfies Record<FigurePeriod, { readonly block: Period; readonly rows: number }>;

/** Reads the rows of a time range; `to` is exclusive. */
type ReadRows = (from: Instant, to: Instant) => Iterable<TotalRow>;

/**
 * The sums of all requests together, by period, as they were read last: every breakdown without a filter reads them again for the
 * percentiles of its steps, whatever it groups by. A block is forgotten when one of its rows is written.
 */
export class TotalRows {
  readonly #blocks: Readonly<Record<FigurePeriod, Map<Instant, TotalRow[]>>> = {
    quarter: new Map(),
    hour: new Map(),
    day: new Map(),
    month: new Map(),
  };
  #rows = 0;
  #writes = 0;

  /** Changes with every row that is written. */
  get writes(): number {
    return this.#writes;
  }

  /** Called when a row is written. */
  forget(period: FigurePeriod, start: Instant): void {
    this.#writes++;
    const blocks = this.#blocks[period];
    const block = startOf(BLOCKS[period].block, start);
    this.#rows -= blocks.get(block)?.length ?? 0;
    blocks.delete(block);
  }

  clear(): void {
    this.#writes++;
    this.#rows = 0;
    for (const blocks of Object.values(this.#blocks)) blocks.clear();
  }

  /**
   * Passes on the rows of a time range; `to` is exclusive.
   * @param read reads what was in the file when the number of writes was `writes`: later rows are not kept
   */
  *in(period: FigurePeriod, from: Instant, to: Instant, writes: number, read: ReadRows): Generator<TotalRow> {
    const { block } = BLOCKS[period];
    for (let start = startOf(block, from); start < to; ) {
      const known = this.#blocks[period].get(start);
      const end = known ? endOf(block, start) : this.#endOfMissing(period, start, to);
      for (const row of known ?? this.#readBlocks(period, start, end, writes, read))
        if (from <= row[0] && row[0] < to) yield row;
      start = end;
    }
  }

  /** Where the blocks end that are not known. */
  #endOfMissing(period: FigurePeriod, first: Instant, to: Instant): Instant {
    const { block, rows } = BLOCKS[period];
    let end = endOf(block, first);
    for (let count = rows; count < ROWS_AT_ONCE && end < to && !this.#blocks[period].has(end); count += rows)
      end = endOf(block, end);
    return end;
  }

  #readBlocks(period: FigurePeriod, from: Instant, to: Instant, writes: number, read: ReadRows): readonly TotalRow[] {
    const found = [...read(from, to)];
    if (writes !== this.#writes) return found;
    if (this.#rows + found.length > MAX_ROWS) {
      this.#rows = 0;
      for (const blocks of Object.values(this.#blocks)) blocks.clear();
    }
    const blocks = this.#blocks[period];
    const { block } = BLOCKS[period];
    // Also of blocks without rows, so that these are known.
    for (let start = from; start < to; start = endOf(block, start)) blocks.set(start, []);
    for (const row of found) blocks.get(startOf(block, instant(row[0])))?.push(row);
    this.#rows += found.length;
    return found;
  }
}

import type { Instant } from '../../domain/core/brands.ts';
import type { ChunkRange } from './chunkRanges.ts';
import type { ColumnName } from './requestChunk.ts';

/** Code of an id whose requests are left out, and of one that was not looked up yet. */
export const EXCLUDED = -1;
export const UNKNOWN = -2;

/** Numbers of groups by an id that requests have in a column. */
export interface GroupCodes {
  readonly column: 'kindId' | 'sourceId' | 'clientId';
  /** The codes of a month; `UNKNOWN` where `resolve` must be asked. */
  codesAt(at: Instant): { readonly codes: Int32Array; resolve(id: number): number };
}

/** A further condition: a byte for each id, or for whatever number the column has. */
export interface ColumnCondition {
  readonly column: ColumnName;
  /** 1: requests with this number match. */
  readonly wanted: Uint8Array;
}

/** Keeps the rows that match in the first places of their list. @returns how many there are */
export type RowFilter = (rows: Int32Array, length: number) => number;

/** A condition that needs more than one column. @returns undefined where all requests of a range match */
export type RowCondition = (range: ChunkRange) => RowFilter | undefined;

export interface ChunkFilter {
  readonly conditions: readonly ColumnCondition[];
  readonly rowConditions: readonly RowCondition[];
}

/** The requests of a range that match, by their indexes in the chunk, with their groups. Used again for each range. */
export class ChunkSelection {
  rows = new Int32Array(0);
  groups = new Int32Array(0);
  length = 0;

  select(range: ChunkRange, groups: GroupCodes, filter: ChunkFilter): void {
    if (this.match(range, filter)) this.#groupRows(range, groups);
    else this.#groupAll(range, groups);
  }

  /** As `select`, without groups. @returns whether the filter has conditions, without which nothing is selected */
  match(range: ChunkRange, { conditions, rowConditions }: ChunkFilter): boolean {
    const count = range.to - range.from;
    if (this.rows.length < count) {
      this.rows = new Int32Array(count);
      this.groups = new Int32Array(count);
    }
    const filters = rowConditions.flatMap((condition) => condition(range) ?? []);
    const [first, ...others] = conditions;
    if (!first && filters.length === 0) return false;
    if (first) this.#begin(range, first);
    else this.#beginWithAll(range);
    for (const condition of others) this.#narrow(range, condition);
    for (const filter of filters) this.length = filter(this.rows, this.length);
    return true;
  }

  #beginWithAll({ from, to }: ChunkRange): void {
    const { rows } = this;
    for (let index = from; index < to; index++) rows[index - from] = index;
    this.length = to - from;
  }

  #begin({ chunk, from, to }: ChunkRange, { column, wanted }: ColumnCondition): void {
    const values = chunk.column(column);
    const { rows } = this;
    let length = 0;
    // Without a branch, which would be guessed wrong for most requests that match.
    for (let index = from; index < to; index++) {
      rows[length] = index;
      length += (wanted[values[index] as number] as number) | 0;
    }
    this.length = length;
  }

  #narrow({ chunk }: ChunkRange, { column, wanted }: ColumnCondition): void {
    const values = chunk.column(column);
    const { rows, length: count } = this;
    let length = 0;
    for (let each = 0; each < count; each++) {
      const row = rows[each] as number;
      rows[length] = row;
      length += (wanted[values[row] as number] as number) | 0;
    }
    this.length = length;
  }

  #groupAll({ chunk, from, to, at }: ChunkRange, groups: GroupCodes): void {
    const { codes, resolve } = groups.codesAt(at);
    const ids = chunk.column(groups.column);
    const { rows, groups: found } = this;
    let length = 0;
    for (let index = from; index < to; index++) {
      const id = ids[index] as number;
      let code = codes[id] as number;
      if (code < 0) {
        if (code === UNKNOWN) code = resolve(id);
        if (code < 0) continue;
      }
      rows[length] = index;
      found[length++] = code;
    }
    this.length = length;
  }

  #groupRows({ chunk, at }: ChunkRange, groups: GroupCodes): void {
    const { codes, resolve } = groups.codesAt(at);
    const ids = chunk.column(groups.column);
    const { rows, groups: found, length: count } = this;
    let length = 0;
    for (let each = 0; each < count; each++) {
      const row = rows[each] as number;
      const id = ids[row] as number;
      let code = codes[id] as number;
      if (code < 0) {
        if (code === UNKNOWN) code = resolve(id);
        if (code < 0) continue;
      }
      rows[length] = row;
      found[length++] = code;
    }
    this.length = length;
  }
}

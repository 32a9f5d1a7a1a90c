import type { Column } from '../columns/column.ts';

/** A week of a hundred requests a minute, or of a thousand in the hour of the most of them, takes 30 MB. */
const MAX_BYTES = 96 * 2 ** 20;

interface Cached {
  readonly column: Column;
  lastQuery: number;
}

/**
 * Columns in memory, up to a number of bytes. A query over more of them keeps those that it read first: otherwise each would be removed
 * just before the next query needs it.
 */
export class ColumnCache {
  readonly #maxBytes: number;
  /** The least recently used first. */
  readonly #columns = new Map<number, Cached>();
  #bytes = 0;
  #query = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Columns that were used before may be removed from now on. */
  beginQuery(): void {
    this.#query++;
  }

  get(id: number, read: () => Column): Column {
    const cached = this.#columns.get(id);
    if (cached) {
      if (cached.lastQuery !== this.#query) {
        cached.lastQuery = this.#query;
        this.#columns.delete(id);
        this.#columns.set(id, cached);
      }
      return cached.column;
    }
    const column = read();
    this.#makeRoomFor(column.byteLength);
    if (this.#bytes + column.byteLength <= this.#maxBytes) {
      this.#columns.set(id, { column, lastQuery: this.#query });
      this.#bytes += column.byteLength;
    }
    return column;
  }

  delete(id: number): void {
    const cached = this.#columns.get(id);
    if (!cached) return;
    this.#columns.delete(id);
    this.#bytes -= cached.column.byteLength;
  }

  clear(): void {
    this.#columns.clear();
    this.#bytes = 0;
  }

  #makeRoomFor(bytes: number): void {
    for (const [id, { lastQuery }] of this.#columns) {
      if (this.#bytes + bytes <= this.#maxBytes || lastQuery === this.#query) return;
      this.delete(id);
    }
  }
}

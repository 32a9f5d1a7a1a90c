interface Cached<Numbers> {
  readonly column: Numbers;
  lastQuery: number;
}

/**
 * Lists of numbers in memory, up to a number of bytes. A query over more of them keeps those that it read first: otherwise each
 * would be removed just before the next query needs it.
 */
export class ColumnCache<Numbers extends { readonly byteLength: number }> {
  readonly #maxBytes: number;
  /** The least recently used first. */
  readonly #columns = new Map<number, Cached<Numbers>>();
  #bytes = 0;
  #query = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Columns that were used before may be removed from now on. */
  beginQuery(): void {
    this.#query++;
  }

  /** @param read returns undefined for what there is not */
  get<Found extends Numbers | undefined>(id: number, read: () => Found): Found | Numbers {
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
    if (column === undefined) return column;
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

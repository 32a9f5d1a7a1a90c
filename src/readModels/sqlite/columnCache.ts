interface Cached<Numbers> {
  readonly column: Numbers;
  lastQuery: number;
}

/** What this many queries did not need goes first. */
const MAX_IDLE_QUERIES = 32;

/**
 * Lists of numbers in memory, up to a number of bytes. Larger ids are those of later requests, which nearly every query is about, and
 * each query begins with them: so the ones with the smallest ids go first, and a query over more than there is room for keeps what it
 * read first. Otherwise each would be removed just before the query needs it.
 */
export class ColumnCache<Numbers extends { readonly byteLength: number }> {
  readonly #maxBytes: number;
  readonly #columns = new Map<number, Cached<Numbers>>();
  #bytes = 0;
  #query = 0;
  /** What this query may remove, the last one first. Sorted when it needs room for the first time. */
  #removable: number[] | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Columns that were used before may be removed from now on. */
  beginQuery(): void {
    this.#query++;
    this.#removable = undefined;
  }

  /** @param read returns undefined for what there is not */
  get<Found extends Numbers | undefined>(id: number, read: () => Found): Found | Numbers {
    const cached = this.#columns.get(id);
    if (cached) {
      cached.lastQuery = this.#query;
      return cached.column;
    }
    const column = read();
    if (column === undefined) return column;
    if (this.#makeRoomFor(id, column.byteLength)) {
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
    this.#removable = undefined;
  }

  /** Removes what is needed less than a column. @returns whether there is room */
  #makeRoomFor(id: number, bytes: number): boolean {
    while (this.#bytes + bytes > this.#maxBytes) {
      this.#removable ??= this.#sortRemovable();
      const next = this.#removable.at(-1);
      if (next === undefined) return false;
      const cached = this.#columns.get(next);
      const isRemovable = cached !== undefined && cached.lastQuery !== this.#query;
      if (isRemovable && next > id && !this.#isIdle(cached)) return false;
      this.#removable.pop();
      if (isRemovable) this.delete(next);
    }
    return true;
  }

  #sortRemovable(): number[] {
    const [used, idle]: [number[], number[]] = [[], []];
    for (const [id, cached] of this.#columns)
      if (cached.lastQuery !== this.#query) (this.#isIdle(cached) ? idle : used).push(id);
    used.sort((a, b) => b - a);
    idle.sort((a, b) => b - a);
    return [...used, ...idle];
  }

  #isIdle({ lastQuery }: Cached<Numbers>): boolean {
    return this.#query - lastQuery > MAX_IDLE_QUERIES;
  }
}

export interface PoolsOptions {
  /** Of all entries together, counted by their `size`. */
  readonly maxBytes: number;
  readonly maxEntryBytes: number;
  readonly maxPools: number;
  readonly maxEntries: number;
}

export interface PoolEntry {
  /** What the entry holds on to, in bytes. */
  readonly size: number;
  /** Set by whoever uses the entry, from `tick()`. */
  usedAt: number;
}

interface Pool<Entry> {
  readonly entries: Entry[];
  wasUsed: boolean;
}

const NONE: readonly never[] = [];

/**
 * A few entries for each key, in memory only and bounded in bytes. What goes first is a pool that was not asked for since
 * the last round (a clock rather than an exact order, so that a hit costs one flag), and within a pool the entry that was
 * not used for longest.
 */
export class BoundedPools<Entry extends PoolEntry> {
  readonly #options: PoolsOptions;
  readonly #pools = new Map<string, Pool<Entry>>();
  #size = 0;
  #tick = 0;

  constructor(options: PoolsOptions) {
    this.#options = options;
  }

  /** Of all entries together, in bytes. */
  get size(): number {
    return this.#size;
  }

  tick(): number {
    return ++this.#tick;
  }

  entriesOf(key: string): readonly Entry[] {
    const pool = this.#pools.get(key);
    if (!pool) return NONE;
    pool.wasUsed = true;
    return pool.entries;
  }

  /** @returns whether an entry of that size would be taken */
  takes(size: number): boolean {
    return size <= this.#options.maxEntryBytes;
  }

  add(key: string, entry: Entry): void {
    if (!this.takes(entry.size)) return;
    const existing = this.#pools.get(key);
    const pool = existing ?? { entries: [], wasUsed: true };
    if (!existing) this.#pools.set(key, pool);
    if (pool.entries.length >= this.#options.maxEntries) this.#replaceOldest(pool, entry);
    else pool.entries.push(entry);
    this.#size += entry.size;
    this.#shrink();
    // It could not go before it was ever asked for; from here on it has to be.
    if (!existing) pool.wasUsed = false;
  }

  /** An entry holds on to more than when it was added. */
  grew(bytes: number): void {
    this.#size += bytes;
    this.#shrink();
  }

  #replaceOldest(pool: Pool<Entry>, entry: Entry): void {
    let oldest = 0;
    for (const [index, { usedAt }] of pool.entries.entries()) {
      if (usedAt < (pool.entries[oldest] as Entry).usedAt) oldest = index;
    }
    this.#size -= (pool.entries[oldest] as Entry).size;
    pool.entries[oldest] = entry;
  }

  #shrink(): void {
    const { maxBytes, maxPools } = this.#options;
    if (this.#size <= maxBytes && this.#pools.size <= maxPools) return;
    // A pool that gets a second chance moves behind those that this loop has still to see, without its flag.
    for (const [key, pool] of this.#pools) {
      this.#pools.delete(key);
      if (pool.wasUsed) {
        pool.wasUsed = false;
        this.#pools.set(key, pool);
        continue;
      }
      for (const { size } of pool.entries) this.#size -= size;
      if (this.#size <= maxBytes && this.#pools.size <= maxPools) return;
    }
  }
}

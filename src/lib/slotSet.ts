/** Knows where it stands in its set. */
export interface Slotted {
  /** Set by `SlotSet`; -1 while it is in none. */
  slot: number;
}

/**
 * A set for what comes and goes with every request. A `Set` would rehash every few dozen of them, and V8 lets each
 * discarded table point to the next one: once one of them is old, all that follow, with what was in them, live until the
 * next full collection. That was a sixth of everything allocated here, and half the cost of a request.
 */
export class SlotSet<Entry extends Slotted> {
  readonly #entries: (Entry | undefined)[] = [];
  readonly #free: number[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(entry: Entry): void {
    if (entry.slot >= 0) return;
    const slot = this.#free.pop() ?? this.#entries.length;
    this.#entries[slot] = entry;
    entry.slot = slot;
    this.#size += 1;
  }

  delete(entry: Entry): void {
    const { slot } = entry;
    if (slot < 0) return;
    entry.slot = -1;
    this.#entries[slot] = undefined;
    this.#free.push(slot);
    this.#size -= 1;
  }

  /** The entries at this moment, in no order; the caller may add and delete while it goes through them. */
  values(): Entry[] {
    return this.#entries.filter((entry) => entry !== undefined);
  }
}

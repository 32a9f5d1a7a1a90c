import type { AccountId, Position } from '../domain/brands.ts';

interface Pin {
  readonly accountId: AccountId;
  readonly pinnedAt: Position;
}

/** At most so many conversations are remembered, the least recently used ones go first. */
const CAPACITY = 100_000;
/** A pin that saw no use for so many events is forgotten: by event order, so that every fold forgets the same ones. */
const MAX_AGE_EVENTS = 1_000_000;

/** Which account a conversation belongs to, by the digest of its key. */
export class Pins {
  readonly #pins = new Map<string, Pin>();

  get size(): number {
    return this.#pins.size;
  }

  set(digest: string, accountId: AccountId, at: Position): void {
    // Deleting first moves the entry to the end of the map, which keeps it in order of use.
    this.#pins.delete(digest);
    this.#pins.set(digest, { accountId, pinnedAt: at });
    if (this.#pins.size <= CAPACITY) return;
    const oldest = this.#pins.keys().next();
    if (!oldest.done) this.#pins.delete(oldest.value);
  }

  get(digest: string, at: Position): AccountId | undefined {
    const pin = this.#pins.get(digest);
    return pin && at - pin.pinnedAt <= MAX_AGE_EVENTS ? pin.accountId : undefined;
  }
}

import type { AccountId, Position } from '../../domain/core/brands.ts';

interface Pin {
  readonly accountId: AccountId;
  readonly pinnedAt: Position;
}

/** Column by column: as many objects as pins would take most of the time that a snapshot takes to read. */
export interface PinsData {
  readonly digests: readonly string[];
  readonly accounts: readonly AccountId[];
  /** For each digest the index of its account. */
  readonly accountOf: Uint32Array;
  readonly pinnedAt: Float64Array;
}

/** At most so many conversations are remembered, the least recently used ones go first. */
const CAPACITY = 100_000;
/** A pin that saw no use for so many events is forgotten: by event order, so that every fold forgets the same ones. */
const MAX_AGE_EVENTS = 1_000_000;

/** Which account a conversation belongs to, by the digest of its key. */
export class Pins {
  readonly #pins = new Map<string, Pin>();

  static from({ digests, accounts, accountOf, pinnedAt }: PinsData): Pins {
    const pins = new Pins();
    digests.forEach((digest, index) => {
      const accountId = accounts[accountOf[index] as number] as AccountId;
      pins.#pins.set(digest, { accountId, pinnedAt: pinnedAt[index] as Position });
    });
    return pins;
  }

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

  /** In order of use. */
  data(): PinsData {
    const pins = [...this.#pins.values()];
    const accounts = [...new Set(pins.map(({ accountId }) => accountId))];
    const indexOf = new Map(accounts.map((accountId, index) => [accountId, index]));
    return {
      digests: [...this.#pins.keys()],
      accounts,
      accountOf: Uint32Array.from(pins, ({ accountId }) => indexOf.get(accountId) as number),
      pinnedAt: Float64Array.from(pins, ({ pinnedAt }) => pinnedAt),
    };
  }
}

import type { AccountId, Position } from '../../domain/core/brands.ts';

interface Pin {
  readonly accountId: AccountId;
  readonly pinnedAt: Position;
}

/** Pins by column: one object per pin would take most of the time of reading a snapshot. */
export interface PinsData {
  readonly digests: readonly string[];
  readonly accounts: readonly AccountId[];
  /** The index of the account of each digest. */
  readonly accountOf: Uint32Array;
  readonly pinnedAt: Float64Array;
}

/** Maximum number of conversations; the least recently used one is evicted first. */
const MAX_PINS = 100_000;
/** Pins expire after this many events without use. Counted in events, so that every fold expires the same pins. */
const MAX_AGE_EVENTS = 1_000_000;

/** The account of each conversation, by the digest of the conversation's key. */
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
    // Deleting first moves the entry to the end of the map, which keeps the map in order of use.
    this.#pins.delete(digest);
    this.#pins.set(digest, { accountId, pinnedAt: at });
    if (this.#pins.size <= MAX_PINS) return;
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

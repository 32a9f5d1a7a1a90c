import { type AccountId, type Position, position } from '../../domain/core/brands.ts';

/** An entry of the list of pins, which is in order of use. */
interface Pin {
  readonly digest: string;
  accountId: AccountId;
  pinnedAt: Position;
  older: Pin;
  newer: Pin;
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
  /** Stands between the newest pin and the oldest. */
  readonly #end = endOfList();

  static from({ digests, accounts, accountOf, pinnedAt }: PinsData): Pins {
    const pins = new Pins();
    digests.forEach((digest, index) => {
      pins.#add(digest, accounts[accountOf[index] as number] as AccountId, pinnedAt[index] as Position);
    });
    return pins;
  }

  get size(): number {
    return this.#pins.size;
  }

  /** Nearly every request does this: to keep the map in order of use would cost several times as much as the list. */
  set(digest: string, accountId: AccountId, at: Position): void {
    const pin = this.#pins.get(digest);
    if (pin) {
      pin.accountId = accountId;
      pin.pinnedAt = at;
      if (pin.newer === this.#end) return;
      unlink(pin);
      this.#linkNewest(pin);
      return;
    }
    this.#add(digest, accountId, at);
    if (this.#pins.size > MAX_PINS) this.#remove(this.#end.newer);
  }

  get(digest: string, at: Position): AccountId | undefined {
    const pin = this.#pins.get(digest);
    return pin && at - pin.pinnedAt <= MAX_AGE_EVENTS ? pin.accountId : undefined;
  }

  /** In order of use. */
  data(): PinsData {
    const pins: Pin[] = [];
    for (let pin = this.#end.newer; pin !== this.#end; pin = pin.newer) pins.push(pin);
    const accounts = [...new Set(pins.map(({ accountId }) => accountId))];
    const indexOf = new Map(accounts.map((accountId, index) => [accountId, index]));
    return {
      digests: pins.map(({ digest }) => digest),
      accounts,
      accountOf: Uint32Array.from(pins, ({ accountId }) => indexOf.get(accountId) as number),
      pinnedAt: Float64Array.from(pins, ({ pinnedAt }) => pinnedAt),
    };
  }

  #add(digest: string, accountId: AccountId, pinnedAt: Position): void {
    const pin: Pin = { digest, accountId, pinnedAt, older: this.#end, newer: this.#end };
    this.#pins.set(digest, pin);
    this.#linkNewest(pin);
  }

  #linkNewest(pin: Pin): void {
    pin.older = this.#end.older;
    pin.newer = this.#end;
    pin.older.newer = pin;
    this.#end.older = pin;
  }

  #remove(pin: Pin): void {
    this.#pins.delete(pin.digest);
    unlink(pin);
  }
}

function unlink({ older, newer }: Pin): void {
  older.newer = newer;
  newer.older = older;
}

function endOfList(): Pin {
  const end = { digest: '', accountId: '' as AccountId, pinnedAt: position(0) } as Pin;
  end.older = end;
  end.newer = end;
  return end;
}

import type { DescriptorCount } from './systemDescriptors.ts';

/** Connections that this process counts itself, because their number changes fast. */
export interface CountedConnections {
  /** Open or about to be opened. */
  readonly open: () => number;
  /** Those that nothing uses at the moment, first the one to be closed first. Called only when descriptors are short. */
  readonly idle?: () => readonly ClosableConnection[];
}

export interface ClosableConnection {
  /** Closes it at once, so that it is not counted any more. */
  close(): void;
}

export interface DescriptorBudgetOptions {
  readonly readLimit: () => number | undefined;
  readonly count: () => DescriptorCount | undefined;
  /** Called when a connection is refused, or the system has refused one (`EMFILE` or `ENFILE`). */
  readonly onShortage: (errno?: string) => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/** The part of the limit that stays free for files, for calls to the provider and for management. */
const RESERVED_PART = 1 / 8;
/** A worker thread needs six, a SQLite database three. */
const MIN_RESERVE = 8;
const MAX_RESERVE = 64;

const MEASURE_MS = 500;
const MEASURE_MS_BY_LIST = 10_000;
/** Before a connection is refused, the count must not be older. */
const MAX_AGE_MS = 20;
const MAX_AGE_MS_BY_LIST = 1_000;
/** Connections that are being opened or closed make a count too low for a moment, so the highest of this time holds. */
const COUNTS_HOLD_MS = 300;
const READ_LIMIT_MS = 5_000;
/** Idle connections are looked for again only after this time when there were too few. */
const IDLE_AGAIN_MS = 20;
/** Where descriptors cannot be counted: those of an idle svc. */
const ASSUMED_OTHERS = 64;
/** After the system has refused one, for example because the whole machine is out of them. */
const REFUSED_FOR_MS = 1_000;

/**
 * Watches how many of the file descriptors of this process are in use, so that connections for model requests are refused before
 * the files of the log and management run out of them. Costs nothing per connection: these are counted anyway, and all other
 * descriptors are measured now and then.
 */
export class DescriptorBudget {
  readonly #options: DescriptorBudgetOptions;
  readonly #now: () => number;
  readonly #counted: CountedConnections[] = [];
  #limit: number | undefined;
  #limitReadAt: number;
  /** Of everything but the counted connections; the latest measurements. */
  #measured: { readonly others: number; readonly at: number }[] = [];
  #others = ASSUMED_OTHERS;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #isCheap = true;
  #refusedUntil = Number.NEGATIVE_INFINITY;
  #noIdleUntil = Number.NEGATIVE_INFINITY;

  constructor(options: DescriptorBudgetOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#limit = options.readLimit();
    this.#limitReadAt = this.#now();
  }

  /** Undefined: there is no limit. */
  get limit(): number | undefined {
    return this.#limit;
  }

  /** How many stay free of connections for model requests. */
  get reserve(): number {
    return Math.min(MAX_RESERVE, Math.max(MIN_RESERVE, Math.ceil((this.#limit ?? 0) * RESERVED_PART)));
  }

  count(connections: CountedConnections): void {
    this.#counted.push(connections);
  }

  /** Whether a connection for a model request may be opened; closes idle ones if that makes room. */
  mayConnect(): boolean {
    if (this.#hasMoreThan(this.reserve) || this.#makeRoom(this.reserve)) return true;
    this.#options.onShortage();
    return false;
  }

  /**
   * Whether a client's connection may be kept: it may be one to management, which the reserve is for, too.
   * @param waiting connections whose first request has not arrived yet: each may need another descriptor
   */
  mayAccept(waiting: number): boolean {
    const kept = Math.max(Math.floor(this.reserve / 2), waiting);
    if (this.#hasMoreThan(kept) || this.#makeRoom(kept)) return true;
    this.#options.onShortage();
    return false;
  }

  /** Whether a refused connection may stay open until the client has read why. @param waiting as for `mayAccept` */
  mayWait(waiting: number): boolean {
    return this.#hasMoreThan(Math.max(Math.floor(this.reserve / 4), waiting));
  }

  /** Whether connections for model requests are refused at the moment: as `mayConnect`, but it closes and reports nothing. */
  get isShort(): boolean {
    return !this.#hasMoreThan(this.reserve) && !this.#hasMoreThan(this.reserve - this.#idle().length);
  }

  /** The system has refused a descriptor. @param errno `EMFILE` or `ENFILE` */
  onRefused(errno: string): void {
    this.#refusedUntil = this.#now() + REFUSED_FOR_MS;
    this.#options.onShortage(errno);
  }

  #hasMoreThan(count: number): boolean {
    if (this.#limit === undefined && this.#refusedUntil < 0) return true;
    const now = this.#now();
    if (now < this.#refusedUntil) return false;
    const age = now - this.#measuredAt;
    if (age > (this.#isCheap ? MEASURE_MS : MEASURE_MS_BY_LIST)) this.#measure(now);
    if (this.#free() > count) return true;
    if (age <= (this.#isCheap ? MAX_AGE_MS : MAX_AGE_MS_BY_LIST)) return false;
    this.#measure(now);
    return now >= this.#refusedUntil && this.#free() > count;
  }

  /** Closes idle connections, unless there are too few of them: something else has taken the descriptors then. */
  #makeRoom(count: number): boolean {
    const now = this.#now();
    if (now < this.#refusedUntil || now < this.#noIdleUntil) return false;
    const needed = count + 1 - this.#free();
    const idle = this.#idle();
    if (idle.length < needed) {
      this.#noIdleUntil = now + IDLE_AGAIN_MS;
      return false;
    }
    for (const connection of idle.slice(0, needed)) connection.close();
    return true;
  }

  #idle(): readonly ClosableConnection[] {
    return this.#counted.flatMap((connections) => connections.idle?.() ?? []);
  }

  #free(): number {
    return (this.#limit ?? Number.POSITIVE_INFINITY) - this.#others - this.#connections();
  }

  #connections(): number {
    let sum = 0;
    for (const { open } of this.#counted) sum += open();
    return sum;
  }

  #measure(now: number): void {
    this.#measuredAt = now;
    if (now - this.#limitReadAt > READ_LIMIT_MS) {
      this.#limitReadAt = now;
      this.#limit = this.#options.readLimit() ?? this.#limit;
    }
    const count = this.#options.count();
    this.#isCheap = count?.isCheap ?? false;
    if (count?.open === Number.POSITIVE_INFINITY) this.#refusedUntil = now + REFUSED_FOR_MS;
    else if (count) this.#keep(count.open - this.#connections(), now);
  }

  #keep(others: number, at: number): void {
    this.#measured = this.#measured.filter((earlier) => at - earlier.at < COUNTS_HOLD_MS);
    this.#measured.push({ others, at });
    this.#others = Math.max(...this.#measured.map((earlier) => earlier.others));
  }
}

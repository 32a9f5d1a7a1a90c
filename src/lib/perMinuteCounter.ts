import { type Instant, instant } from '../domain/core/brands.ts';

export interface PerMinuteCounterOptions<Counted> {
  readonly now: () => Instant;
  /** Told of everything that was counted of a subject once its minute is over, one after the other. Must not reject. */
  readonly write: (counted: Counted, startedAt: Instant) => Promise<void>;
}

interface Minute<Counted> {
  readonly startedAt: Instant;
  readonly counted: Counted;
}

const MINUTE_MS = 60_000;
/** Strangers choose their addresses: who counts by them has to stop somewhere. */
const MAX_SUBJECTS = 10_000;

/** Counts by the minute what is too frequent to be written down one by one. */
export class PerMinuteCounter<Counted> {
  readonly #options: PerMinuteCounterOptions<Counted>;
  readonly #begun = new Map<string, Minute<Counted>>();
  readonly #timer: NodeJS.Timeout;
  /** Resolves when everything that was taken out has been written. */
  #written: Promise<void> = Promise.resolve();

  constructor(options: PerMinuteCounterOptions<Counted>) {
    this.#options = options;
    this.#timer = setInterval(() => void this.flush(), MINUTE_MS / 4).unref();
  }

  /** Whether the subject is counted already, or one more may be. */
  hasRoomFor(subject: string): boolean {
    return this.#begun.has(subject) || this.#begun.size < MAX_SUBJECTS;
  }

  /** What is counted of a subject in the present minute, to be changed in place. */
  of(subject: string, begin: () => Counted): Counted {
    const now = this.#options.now();
    const startedAt = instant(now - (now % MINUTE_MS));
    const current = this.#begun.get(subject);
    if (current?.startedAt === startedAt) return current.counted;
    if (current) void this.flush();
    const counted = begin();
    this.#begun.set(subject, { startedAt, counted });
    return counted;
  }

  /** Writes the minutes that have passed by a moment. */
  flush(until: Instant = this.#options.now()): Promise<void> {
    // Taken out before anything is awaited: meanwhile a new minute may begin under the same subject.
    // A minute that lies ahead is one that passed before the clock was put back.
    const isOver = ({ startedAt }: Minute<Counted>) => until - startedAt >= MINUTE_MS || startedAt > until;
    const due = [...this.#begun].filter(([, minute]) => isOver(minute));
    for (const [subject] of due) this.#begun.delete(subject);
    this.#written = this.#written.then(async () => {
      for (const [, { counted, startedAt }] of due) await this.#options.write(counted, startedAt);
    });
    return this.#written;
  }

  /** Writes all of them, at the end of the process. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush(instant(Number.MAX_SAFE_INTEGER));
  }
}

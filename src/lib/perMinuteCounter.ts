export interface PerMinuteCounterOptions<Counts> {
  /** The current time in milliseconds since the epoch. */
  readonly now: () => number;
  /**
   * Called with the counts of each subject once the minute that starts at `startedAt` is over, one call after the other.
   * Must not reject.
   */
  readonly write: (counts: Counts, startedAt: number) => Promise<void>;
}

interface Minute<Counts> {
  readonly startedAt: number;
  readonly counts: Counts;
}

const MINUTE_MS = 60_000;
/** Bounds the memory where clients choose the subjects, their addresses for instance. */
const MAX_SUBJECTS = 10_000;

/** Counts per subject and minute, for occurrences that are too frequent to record one by one. */
export class PerMinuteCounter<Counts> {
  readonly #options: PerMinuteCounterOptions<Counts>;
  readonly #current = new Map<string, Minute<Counts>>();
  readonly #timer: NodeJS.Timeout;
  /** Resolves when all minutes that were removed from the map have been written. */
  #written: Promise<void> = Promise.resolve();

  constructor(options: PerMinuteCounterOptions<Counts>) {
    this.#options = options;
    this.#timer = setInterval(() => void this.flush(), MINUTE_MS / 4).unref();
  }

  /** Whether the subject has counts already, or one more subject fits. */
  hasRoomFor(subject: string): boolean {
    return this.#current.has(subject) || this.#current.size < MAX_SUBJECTS;
  }

  /** The counts of a subject in the current minute, to be changed in place. */
  of(subject: string, zero: () => Counts): Counts {
    const now = this.#options.now();
    const startedAt = now - (now % MINUTE_MS);
    const current = this.#current.get(subject);
    if (current?.startedAt === startedAt) return current.counts;
    if (current) void this.flush();
    const counts = zero();
    this.#current.set(subject, { startedAt, counts });
    return counts;
  }

  /** Writes the minutes that are over. */
  flush(now: number = this.#options.now()): Promise<void> {
    // Removed before anything is awaited: meanwhile a new minute may begin under the same subject.
    // A minute in the future is one that began before the clock was set back.
    const isOver = ({ startedAt }: Minute<Counts>) => now - startedAt >= MINUTE_MS || startedAt > now;
    const due = [...this.#current].filter(([, minute]) => isOver(minute));
    for (const [subject] of due) this.#current.delete(subject);
    this.#written = this.#written.then(async () => {
      for (const [, { counts, startedAt }] of due) await this.#options.write(counts, startedAt);
    });
    return this.#written;
  }

  /** Writes all minutes, the current one too; called at the end of the process. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush(Number.MAX_SAFE_INTEGER);
  }
}

import type { Instant } from '../domain/core/brands.ts';
import type { RecordedEvent } from '../eventLog/eventLog.ts';

/** How many requests of a period the log has. */
export interface RequestCounts {
  /** Rows of the request log, refused ones included. */
  requests: number;
  /** Those that svc itself refused. */
  refusals: number;
  /** Refusals of which the log has only the number. */
  countedOnly: number;
  /** Requests that another program served and svc imported: it decided nothing about them. Absent when there are none. */
  imported?: number;
}

const MINUTE_MS = 60_000;

/** Counts the requests of a period, both ends inclusive, by the time at which they were made. */
export class RequestCounter {
  readonly counts: RequestCounts = { requests: 0, refusals: 0, countedOnly: 0 };
  readonly #since: Instant;
  readonly #until: Instant;

  constructor(since: Instant, until: Instant) {
    this.#since = since;
    this.#until = until;
  }

  /** @returns whether the event is the end of a request of the period */
  count(event: RecordedEvent): boolean {
    if (event.type === 'RefusalsCounted') {
      const { minute, counts } = event.data;
      const isIn = minute <= this.#until && minute + MINUTE_MS > this.#since;
      if (isIn) for (const count of Object.values(counts)) this.counts.countedOnly += count;
      return false;
    }
    if (event.type === 'RequestImported') {
      const { requestedAt } = event.data;
      if (requestedAt >= this.#since && requestedAt <= this.#until)
        this.counts.imported = (this.counts.imported ?? 0) + 1;
      return false;
    }
    if (event.type !== 'RequestCompleted' && event.type !== 'RequestRefused') return false;
    const { requestedAt, refusal } = event.data;
    if (requestedAt < this.#since || requestedAt > this.#until) return false;
    this.counts.requests += 1;
    if (event.type === 'RequestRefused' || refusal) this.counts.refusals += 1;
    return true;
  }
}

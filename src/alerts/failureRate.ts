import type { Instant } from '../domain/core/brands.ts';

const MINUTE_MS = 60_000;
const MINUTES = 5;

/** Counts requests and failed ones of the last five minutes, over all nodes: it follows the log. */
export class FailureRate {
  readonly #minutes: { minute: number; requests: number; failed: number }[] = [];

  /** @param status of the request, as the log has it */
  count(status: string, at: Instant): void {
    const minute = Math.floor(at / MINUTE_MS);
    const last = this.#minutes.at(-1);
    let current = last?.minute === minute ? last : this.#minutes.find((known) => known.minute === minute);
    if (!current) {
      current = { minute, requests: 0, failed: 0 };
      this.#minutes.push(current);
      if (this.#minutes.length > MINUTES + 1) this.#minutes.shift();
    }
    current.requests += 1;
    if (isFailure(status)) current.failed += 1;
  }

  at(now: Instant): { readonly requests: number; readonly failed: number } {
    const first = Math.floor(now / MINUTE_MS) - MINUTES;
    const sum = { requests: 0, failed: 0 };
    for (const { minute, requests, failed } of this.#minutes) {
      if (minute <= first || minute > first + MINUTES) continue;
      sum.requests += requests;
      sum.failed += failed;
    }
    return sum;
  }
}

/** Not what clients do wrong: 4xx but 429, which says that no account could serve. */
const isFailure = (status: string): boolean => status !== '200' && (status === '429' || !/^4\d\d$/.test(status));

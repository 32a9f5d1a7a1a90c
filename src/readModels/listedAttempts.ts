import type { RequestKind } from '../../projections/requestLog.ts';
import type { AttemptCounts, Condition } from './requestFilter.ts';

/** The number of requests of a kind that tried an account before their own. */
export interface AttemptCount {
  readonly accountId: string;
  readonly kind: RequestKind;
  readonly count: number;
}

/** Counts of attempts that are a list. */
export class ListedAttempts implements AttemptCounts {
  readonly #counts: readonly AttemptCount[];

  constructor(counts: readonly AttemptCount[]) {
    this.#counts = counts;
  }

  byAccount(matches: Condition): Map<string, number> {
    const sums = new Map<string, number>();
    const known = new Map<RequestKind, boolean>();
    for (const { accountId, kind, count } of this.#counts) {
      // There are many more attempts than kinds.
      let isMatch = known.get(kind);
      if (isMatch === undefined) {
        isMatch = matches(kind);
        known.set(kind, isMatch);
      }
      if (isMatch) sums.set(accountId, (sums.get(accountId) ?? 0) + count);
    }
    return sums;
  }

  of(accountId: string): (readonly [RequestKind, number])[] {
    return this.#counts.flatMap((each) => (each.accountId === accountId ? [[each.kind, each.count] as const] : []));
  }
}

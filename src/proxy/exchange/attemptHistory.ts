import type { AccountId, Instant } from '../../domain/core/brands.ts';
import type { Attempt } from '../../domain/request/events.ts';
import type { Decision } from './choose.ts';
import type { Classified } from './classify.ts';

/** An attempt that is under way. */
export interface OpenAttempt {
  readonly accountId: AccountId;
  readonly decision: Decision;
  readonly startedAt: Instant;
  /** The token that was sent; a refresh is in vain when somebody has replaced it meanwhile. */
  readonly authorization: string;
}

/** The attempts of one request in their order, as the log will hold them. */
export class AttemptHistory {
  readonly ended: Attempt[] = [];
  open: OpenAttempt | undefined;

  /** The account that is being asked, or was asked last. */
  get accountId(): AccountId | null {
    return this.open?.accountId ?? this.ended.at(-1)?.accountId ?? null;
  }

  /** Ends the open attempt, if there is one. @param outcome `ok`, or how it failed */
  end(outcome: string, now: Instant, classified?: Classified): void {
    if (!this.open) return;
    const { accountId, decision, startedAt } = this.open;
    this.open = undefined;
    // Spelled out instead of spread: this runs for every request, and JSON leaves out what is undefined.
    this.ended.push({
      decidedAt: decision.decidedAt,
      asOf: decision.asOf,
      v: decision.v,
      overlay: decision.overlay,
      isRepeat: decision.isRepeat,
      accountId,
      startedAt,
      endedAt: now,
      outcome,
      code: classified?.code,
      limitedUntil: classified?.limitedUntil,
    });
  }
}

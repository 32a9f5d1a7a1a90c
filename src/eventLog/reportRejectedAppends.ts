import { type AppendOutcome, type EventLog, ID_TAKEN } from './eventLog.ts';

export interface RejectedAppendsOptions {
  /** Gets one line when appends begin to be rejected, or for another reason than before, and one when they succeed again. */
  readonly say: (line: string) => void;
}

/**
 * The same log, whose operator hears of rejected appends: a full disk, a damaged file. Each caller gets its own error, so
 * that nobody else would; and under load that would be a line for every request.
 */
export function reportRejectedAppends(log: EventLog, { say }: RejectedAppendsOptions): EventLog {
  let reason: string | undefined;
  let isClosing = false;

  function watch(outcome: AppendOutcome): void {
    if (outcome.kind === 'committed' && reason !== undefined) {
      reason = undefined;
      say('The event log takes events again.');
    }
    // An id that is taken is the caller's mistake, and the log is fine.
    if (outcome.kind !== 'rejected' || outcome.reason === ID_TAKEN || outcome.reason === reason || isClosing) return;
    reason = outcome.reason;
    say(
      `The event log refuses events: ${reason}. What needs them is answered with log_unavailable until it takes them again.`,
    );
  }

  return {
    ...log,
    async append(...args) {
      const outcome = await log.append(...args);
      watch(outcome);
      return outcome;
    },
    close() {
      isClosing = true;
      return log.close();
    },
  };
}

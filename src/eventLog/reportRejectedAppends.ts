import { type AppendOutcome, type EventLog, ID_TAKEN } from './eventLog.ts';

export interface RejectedAppendsOptions {
  /** Called with a line when appends begin to be rejected, when the reason changes, and when an append succeeds again. */
  readonly say: (line: string) => void;
}

/**
 * Wraps a log to tell the operator about rejected appends, for instance because the disk is full. Callers only see their
 * own error, and a line for each of them would flood the output under load.
 */
export function reportRejectedAppends(log: EventLog, { say }: RejectedAppendsOptions): EventLog {
  let reason: string | undefined;
  let isClosing = false;

  function reportChange(outcome: AppendOutcome): void {
    if (outcome.kind === 'committed' && reason !== undefined) {
      reason = undefined;
      say('The event log accepts events again.');
    }
    // An id that is taken is the caller's mistake; the log itself is fine.
    if (outcome.kind !== 'rejected' || outcome.reason === ID_TAKEN || outcome.reason === reason || isClosing) return;
    reason = outcome.reason;
    say(`The event log refuses events: ${reason}. Requests fail with log_unavailable until it accepts events again.`);
  }

  return {
    ...log,
    async append(...args) {
      const outcome = await log.append(...args);
      reportChange(outcome);
      return outcome;
    },
    close() {
      isClosing = true;
      return log.close();
    },
  };
}

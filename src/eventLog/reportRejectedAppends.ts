import { type AppendOutcome, type EventLog, ID_TAKEN } from './eventLog.ts';

export interface RejectedAppendsOptions {
  /** Called with a line when the log starts rejecting appends, when the reason changes, and when an append succeeds again. */
  readonly print: (line: string) => void;
}

/**
 * Wraps a log to report rejected appends to the operator, for instance because the disk is full. Reports once per reason:
 * under load a line per append would flood the output.
 */
export function reportRejectedAppends(log: EventLog, { print }: RejectedAppendsOptions): EventLog {
  let reason: string | undefined;
  /** Why the last append was refused that was itself at fault. */
  let lastRefusal: string | undefined;
  let isClosing = false;

  function reportChange(stream: string, outcome: AppendOutcome): void {
    if (outcome.kind === 'committed' && reason !== undefined) {
      reason = undefined;
      print('The event log accepts events again.');
    }
    // A client sees an id in use as a reused Idempotency-Key.
    if (outcome.kind !== 'rejected' || outcome.reason === ID_TAKEN || isClosing) return;
    if (outcome.isLogFine) {
      if (outcome.reason !== lastRefusal)
        print(`An append to ${stream} was refused, and nothing of it was written: ${outcome.reason}.`);
      lastRefusal = outcome.reason;
      return;
    }
    if (outcome.reason === reason) return;
    reason = outcome.reason;
    print(`The event log refuses events: ${reason}. Requests fail with log_unavailable until it accepts events again.`);
  }

  return {
    ...log,
    async append(...args) {
      const outcome = await log.append(...args);
      reportChange(args[0], outcome);
      return outcome;
    },
    close() {
      isClosing = true;
      return log.close();
    },
  };
}

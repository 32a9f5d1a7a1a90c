import type { Fault, Faults } from '../lib/faults.ts';
import type { Print } from '../lib/log/line.ts';
import { type AppendOutcome, type EventLog, ID_TAKEN, LOG_CLOSED } from './eventLog.ts';
import type { WatchedLog } from './watchAppends.ts';

export interface RejectedAppendsOptions {
  /** Called with a line when the log refuses an append that is itself at fault. */
  readonly print: Print;
  readonly faults: Faults;
  /** The log, as the subject of the fault: the path of its file, or the name of the store. */
  readonly subject: string;
}

export const LOG_REFUSES_EVENTS = 'log_refuses_events';
const DEFAULT_REMEDY = 'svc accepts requests again as soon as an append succeeds.';

export const ACCEPTS_AGAIN = 'The event log accepts events again.';

/** The fault of a log that rejects events. @param subject as in `RejectedAppendsOptions` */
export const logRefusesEvents = (
  subject: string,
  { reason, remedy }: { readonly reason: string; readonly remedy?: string },
): Fault => ({
  code: LOG_REFUSES_EVENTS,
  subject,
  cause: `The event log (${subject}) refuses events: ${reason}. Model requests and changes get 503 log_unavailable.`,
  remedy: remedy ?? DEFAULT_REMEDY,
});

/**
 * Wraps the appends of a log, or of an outbox: that it rejects them, for instance because the disk is full, is a fault until
 * one succeeds, or a probe of a log that has one.
 */
export function reportRejectedAppends<Log extends Pick<EventLog, 'append'> & Partial<WatchedLog>>(
  log: Log,
  { print, faults, subject }: RejectedAppendsOptions,
): Log {
  /** Why the last append was refused that was itself at fault. */
  let lastRefusal: string | undefined;

  const clear = () => faults.clear(LOG_REFUSES_EVENTS, subject, ACCEPTS_AGAIN);

  function reportChange(stream: string, outcome: AppendOutcome): void {
    if (outcome.kind === 'committed') clear();
    // A client sees an id in use as a reused Idempotency-Key.
    if (outcome.kind !== 'rejected' || outcome.reason === ID_TAKEN || outcome.reason === LOG_CLOSED) return;
    if (outcome.isLogFine) {
      if (outcome.reason !== lastRefusal)
        print(`An append to ${stream} was refused, and nothing of it was written: ${outcome.reason}.`, {
          level: 'warn',
          code: 'append_refused',
          subject,
        });
      lastRefusal = outcome.reason;
      return;
    }
    faults.raise(logRefusesEvents(subject, outcome));
  }

  const reported: Pick<EventLog, 'append'> & Partial<WatchedLog> = {
    async append(...args) {
      const outcome = await log.append(...args);
      reportChange(args[0], outcome);
      return outcome;
    },
    ...(log.probe && { probe: () => (log as WatchedLog).probe().then(clear) }),
  };
  return Object.assign(Object.create(log) as Log, reported);
}

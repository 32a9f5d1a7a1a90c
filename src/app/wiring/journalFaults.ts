import { ACCEPTS_AGAIN, LOG_REFUSES_EVENTS, logRefusesEvents } from '../../eventLog/reportRejectedAppends.ts';
import type { OnJournalFault } from '../../eventLog/sqlite/groupCommit.ts';
import type { Faults } from '../../lib/faults.ts';

export interface JournalFaults {
  /** Why nothing may be written. Undefined while the write-ahead log is in place. */
  readonly refusal: string | undefined;
  readonly onJournalFault: OnJournalFault;
}

/** Reports what the writer of a log finds wrong with its write-ahead log, also while nothing is appended. */
export function journalFaults(faults: Faults, path: string): JournalFaults {
  let refusal: string | undefined;
  return {
    get refusal() {
      return refusal;
    },
    onJournalFault(fault) {
      refusal = fault?.reason;
      if (fault) faults.raise(logRefusesEvents(path, fault));
      else faults.clear(LOG_REFUSES_EVENTS, path, ACCEPTS_AGAIN);
    },
  };
}

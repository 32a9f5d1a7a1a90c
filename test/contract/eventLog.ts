import { describe } from 'vitest';
import type { EventLog } from '../../src/eventLog/eventLog.ts';
import { describeAppending } from './eventLog/appending.ts';
import { describeFollowing } from './eventLog/following.ts';
import { describeReading } from './eventLog/reading.ts';
import { describeRejecting } from './eventLog/refusing.ts';
import { describeRepeating } from './eventLog/repeating.ts';

/** A log for one test. Its store may contain events of other tests, so tests use their own streams and start at the head. */
export interface LogUnderTest extends AsyncDisposable {
  /** Opens the log; may be called again after `close`. */
  open(): Promise<EventLog>;
  /** Writes an event of a type that only a newer build knows. The log must be closed. */
  writeUnknownType(stream: string): Promise<void>;
}

export type LogFactory = () => Promise<LogUnderTest>;

/** The contract of `EventLog`, run against one adapter. */
export function describeEventLog(name: string, createStore: LogFactory): void {
  describe(`${name}: event log`, () => {
    describeAppending(createStore);
    describeRepeating(createStore);
    describeRejecting(createStore);
    describeReading(createStore);
    describeFollowing(createStore);
  });
}

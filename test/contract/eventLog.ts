import { describe } from 'vitest';
import type { EventLog } from '../../src/eventLog/eventLog.ts';
import { appending } from './eventLog/appending.ts';
import { following } from './eventLog/following.ts';
import { reading } from './eventLog/reading.ts';
import { refusing } from './eventLog/refusing.ts';
import { repeating } from './eventLog/repeating.ts';

/** A store of its own for one test. It may hold events of others, so tests go by streams of their own and by the head. */
export interface StoreUnderTest extends AsyncDisposable {
  /** Opens the log over this store; again after it was closed. */
  open(): Promise<EventLog>;
  /** Writes an event of a type that this build does not know, as a newer one would. The log is closed meanwhile. */
  writeUnknownType(stream: string): Promise<void>;
}

export type StoreFactory = () => Promise<StoreUnderTest>;

/** What every event log does, run over one adapter. */
export function describeEventLog(name: string, createStore: StoreFactory): void {
  describe(`${name}: event log`, () => {
    appending(createStore);
    repeating(createStore);
    refusing(createStore);
    reading(createStore);
    following(createStore);
  });
}

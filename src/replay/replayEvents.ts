import type { RecordedEvent } from '../eventLog/eventLog.ts';
import type { Difference } from './recordedDecision.ts';
import { Replayer } from './replayer.ts';

export interface ReplayReport {
  readonly choices: number;
  readonly admissions: number;
  readonly differences: readonly Difference[];
}

/** Repeats every recorded decision of events that are in memory. @returns every difference */
export function replayEvents(events: readonly RecordedEvent[]): ReplayReport {
  const replayer = new Replayer({ lag: events.length });
  for (const event of events) replayer.add(event);
  const { counts, differences } = replayer.end();
  return { choices: counts.choice, admissions: counts.admission, differences };
}

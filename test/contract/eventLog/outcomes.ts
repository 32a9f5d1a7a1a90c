import type { AppendOutcome, EventLog, StoredEvent } from '../../../src/eventLog/eventLog.ts';

type Committed = Extract<AppendOutcome, { kind: 'committed' }>;

/** The outcome of an append that must be committed for the test to make sense. */
export async function committed(append: Promise<AppendOutcome>): Promise<Committed> {
  const outcome = await append;
  if (outcome.kind !== 'committed') throw new Error(`the append ended in ${JSON.stringify(outcome)}`);
  return outcome;
}

export const storedOf = (log: EventLog, stream: string, fromRevision?: number): Promise<StoredEvent[]> =>
  Array.fromAsync(log.readStream(stream, fromRevision));

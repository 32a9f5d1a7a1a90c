import type { AppendOutcome, EventLog, StoredEvent } from '../../../src/eventLog/eventLog.ts';

type Committed = Extract<AppendOutcome, { kind: 'committed' }>;

/** Waits for an append, which must be committed. @throws Error with any other outcome */
export async function committed(append: Promise<AppendOutcome>): Promise<Committed> {
  const outcome = await append;
  if (outcome.kind !== 'committed') throw new Error(`the append ended in ${JSON.stringify(outcome)}`);
  return outcome;
}

export const readStored = (log: EventLog, stream: string, fromRevision?: number): Promise<StoredEvent[]> =>
  Array.fromAsync(log.readStream(stream, fromRevision));

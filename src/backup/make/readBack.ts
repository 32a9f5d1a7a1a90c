import type { EventTuple } from '../../eventLog/sqlite/eventTuple.ts';
import { chainOf } from '../../eventLog/storedChain.ts';
import { isIntact } from '../../eventLog/verification/hashVerifier.ts';
import type { BackupRecord } from '../format/manifest.ts';

const MAX_FINDINGS = 20;

/** Reads all records of a backup, and verifies the hash of each event. @throws BackupRefused for a file that is not intact */
export async function readBack(
  records: AsyncIterable<BackupRecord>,
): Promise<{ readonly events: number; readonly findings: readonly string[] }> {
  let isOfLog = false;
  let events = 0;
  const findings: string[] = [];
  for await (const record of records) {
    if ('table' in record) isOfLog = record.of === 'log.sqlite';
    if (!Array.isArray(record) || !isOfLog) continue;
    events += 1;
    const event = record as unknown as EventTuple;
    const { hash } = chainOf(event[8]);
    if (hash !== undefined && !isIntact(event, hash) && findings.length < MAX_FINDINGS)
      findings.push(`The event at position ${event[0]} (${event[1]}) is not what its hash says: it was altered.`);
  }
  return { events, findings };
}

import { join } from 'node:path';
import { ArchivedEvents } from '../../eventLog/archive/archivedEvents.ts';
import { archivePathOf } from '../../eventLog/archive/archiveFile.ts';
import { describeBreak } from '../../eventLog/continuity.ts';
import { openForReading } from '../../eventLog/sqlite/database.ts';
import { HashVerifier } from '../../eventLog/verification/hashVerifier.ts';
import type { Manifest } from '../format/manifest.ts';

const MAX_FINDINGS = 20;

/** Verifies the restored log: that it ends where the backup says, each hash, and that no event is missing. */
export function checkRestored(folder: string, { upTo }: Manifest): string[] {
  const path = join(folder, 'log.sqlite');
  const archived = ArchivedEvents.open(archivePathOf(path));
  const database = openForReading(path);
  try {
    const findings: string[] = [];
    const verifier = new HashVerifier(database, 0, undefined, archived);
    for (let breaks = verifier.step(); breaks; breaks = verifier.step())
      findings.push(...breaks.map((found) => describeBreak('the log', found)));
    const id = database.prepare('SELECT id FROM events WHERE position = ?').get(upTo.position)?.id ?? '';
    if (verifier.position !== upTo.position || id !== upTo.id)
      findings.push(`The log ends at position ${verifier.position}, and not at ${upTo.position} as the backup says.`);
    return findings.slice(0, MAX_FINDINGS);
  } finally {
    database.close();
    archived?.close();
  }
}

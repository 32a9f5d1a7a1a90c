import type { StoredEvent } from '../../eventLog/eventLog.ts';
import { decodeRollUps } from '../archivedRollUps.ts';
import type { ArchiveState } from '../archiveReader.ts';
import { archivedChanges } from './archivedChanges.ts';
import type { BatchWriter } from './batchWriter.ts';
import type { ChosenNames } from './chosenNames.ts';
import type { Fence, Generations } from './generations.ts';
import type { LogReader } from './logReader.ts';

/**
 * Writes the roll-ups of all archived segments into a generation without events. May be interrupted and run again.
 * @returns the segments that the generation has
 */
export async function writeArchive(
  generations: Generations,
  log: LogReader,
  generation: number,
  fence: Fence,
  writer: BatchWriter,
  names: ChosenNames,
): Promise<ArchiveState> {
  const archive = log.archive.state();
  if (archive.signature === '') return archive;
  const rollUps = [...log.archive.rollUps()];
  for (const [index, bytes] of rollUps.entries())
    await writer.writeArchived(archivedChanges(decodeRollUps(bytes), rollUps.length - 1 - index, names));
  await generations.setArchive(generation, fence, archive);
  return archive;
}

/** The events whose sums are not in the roll-ups: rows of archived ones may still be there. */
export function withoutArchived(
  log: LogReader,
  { upTo }: ArchiveState,
  events: readonly StoredEvent[],
): readonly StoredEvent[] {
  if ((events[0]?.position ?? 0) > upTo) return events;
  const archived = log.archive.among(events.map(({ position }) => position));
  return archived.size === 0 ? events : events.filter(({ position }) => !archived.has(position));
}

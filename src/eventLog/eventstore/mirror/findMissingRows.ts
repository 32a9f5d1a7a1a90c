import type { DatabaseSync } from 'node:sqlite';
import type { ArchivedEvents } from '../../archive/archivedEvents.ts';
import type { Segment } from '../../archive/segment.ts';
import { CONTINUED_HASH } from '../../hashChain.ts';

/**
 * Compares a sealed segment with the rows of a mirror that should have all of its events: their positions, how many each stream has,
 * and the hash of the last one of each, which the hashes of those before it lead to.
 * @returns what is missing, or is at another position; undefined when nothing is
 */
export function findMissingRows(
  database: DatabaseSync,
  archived: ArchivedEvents,
  { number, header }: Segment,
): string | undefined {
  const streams = new Map(header.streams.map(([stream, events]) => [stream, events]));
  const found = new Map<string, number>();
  const count = database.prepare(
    'SELECT stream, count(*) AS events FROM events WHERE position BETWEEN ? AND ? GROUP BY stream',
  );
  for (const { first, last } of archived.rangesOf(number)) {
    let rows = 0;
    for (const { stream, events } of count.all(first, last) as { stream: string; events: number }[]) {
      if (!streams.has(stream)) return `position ${first} to ${last} have an event of ${stream}`;
      found.set(stream, (found.get(stream) ?? 0) + events);
      rows += events;
    }
    if (rows !== last - first + 1) return `positions ${first} to ${last} have ${rows} events`;
  }
  const hashAt = database.prepare(`SELECT ${CONTINUED_HASH} AS hash FROM events WHERE stream = ? AND revision = ?`);
  for (const [stream, events, revision, hash] of header.streams) {
    if (found.get(stream) !== events) return `${stream} has ${found.get(stream) ?? 0} of ${events} events`;
    const row = hashAt.get(stream, revision);
    if (!row || (row.hash ?? null) !== hash) return `revision ${revision} of ${stream} is another event`;
  }
  return undefined;
}

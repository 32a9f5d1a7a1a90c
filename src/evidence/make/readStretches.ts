import type { DatabaseSync } from 'node:sqlite';
import { FIRST_STRETCH, type Stretch } from '../../domain/clock/stretches.ts';
import { instant, position } from '../../domain/core/brands.ts';

/** Positions that one statement examines: no read lasts so long that the writer's checkpoints are held up. */
const POSITIONS = 16_384;

/**
 * Reads from a log where clocks jumped, so that a period has what `?at=` has of its moments. Examines all events.
 * @param last position of the last event
 */
export function readStretches(database: DatabaseSync, last: number): Stretch[] {
  const select = database.prepare(
    `SELECT position, data ->> '$.to' AS "to" FROM events
     WHERE position > ? AND position <= ? AND type = 'ClockJumped' ORDER BY position`,
  );
  const jumps: { readonly position: number; readonly to: number }[] = [];
  for (let after = 0; after < last; after += POSITIONS)
    jumps.push(...(select.all(after, Math.min(after + POSITIONS, last)) as unknown as typeof jumps));
  if (jumps.length === 0) return [FIRST_STRETCH];

  const latestIn = database.prepare('SELECT max(time) AS time FROM events WHERE position > ? AND position <= ?');
  const begins = [{ after: 0, from: FIRST_STRETCH.from as number }];
  for (const jump of jumps) begins.push({ after: jump.position - 1, from: jump.to });
  return begins.map(({ after, from }, index) => {
    const end = begins[index + 1]?.after ?? last;
    let latest = from;
    for (let at = after; at < end; at += POSITIONS) {
      const time = latestIn.get(at, Math.min(at + POSITIONS, end))?.time as number | null | undefined;
      latest = Math.max(latest, time ?? latest);
    }
    return { after: position(after), from: instant(from), latest: instant(latest) };
  });
}

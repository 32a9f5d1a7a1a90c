import { type Position, position } from '../domain/core/brands.ts';
import type { RecordedEvent } from '../eventLog/eventLog.ts';
import { openForReading } from '../eventLog/sqlite/database.ts';
import { EVENT_COLUMNS, type EventColumns } from '../eventLog/sqlite/eventRows.ts';
import { toRecordedEvent } from '../eventLog/sqlite/reader.ts';
import { decisionsIn } from './decisionsIn.ts';
import { continueTo, firstFoldOf, type LogFiles } from './logFiles.ts';
import { OwnCoolDowns } from './ownCoolDowns.ts';
import { differenceOf } from './recordedDecision.ts';
import { type LateDecision, noneRepeated, type Repeated } from './replayer.ts';

/** Repeats decisions that the first pass met after its fold was beyond them: folds the log again, up to each of them. */
export async function repeatLate(
  files: LogFiles,
  late: readonly LateDecision[],
  signal: AbortSignal | undefined,
): Promise<Repeated & { readonly archived: number }> {
  const read = openEvents(files.location);
  const result = noneRepeated();
  try {
    const ownCoolDowns = new OwnCoolDowns();
    for (const event of read.coolDowns()) ownCoolDowns.add(event);
    const fold = firstFoldOf(files);
    let archived = 0;
    for (const [decidedAt, positions] of byDecidedAt(late)) {
      signal?.throwIfAborted();
      const isArchived = decidedAt < fold.state.position;
      if (!isArchived) await continueTo(fold, files, decidedAt);
      for (const at of positions) {
        const event = read.at(at);
        // It was archived after the first pass read it.
        if (!event) archived += 1;
        for (const decision of event ? decisionsIn(event, ownCoolDowns) : []) {
          if (decision.decidedAt !== decidedAt) continue;
          if (isArchived) {
            archived += 1;
            continue;
          }
          result.counts[decision.kind] += 1;
          const difference = differenceOf(decision, fold.state);
          if (difference) result.differences.push(difference);
          else result.repeated += 1;
        }
      }
    }
    return { ...result, archived };
  } finally {
    read.close();
  }
}

/** Positions of the events whose decisions were taken at each position, in the order of the latter. */
function byDecidedAt(late: readonly LateDecision[]): [Position, Set<Position>][] {
  const positions = new Map<Position, Set<Position>>();
  for (const { decidedAt, position: at } of late) {
    const known = positions.get(decidedAt);
    if (known) known.add(at);
    else positions.set(decidedAt, new Set([at]));
  }
  return [...positions].sort(([a], [b]) => a - b);
}

/** Reads single events of a log, and all changes of cool-downs. */
export function openEvents(location: string) {
  const database = openForReading(location);
  const select = (where: string) => {
    const statement = database.prepare(`SELECT ${EVENT_COLUMNS} FROM events WHERE ${where}`);
    statement.setReturnArrays(true);
    return statement;
  };
  const one = select('position = ?');
  const coolDowns = select("type IN ('AccountsCooled', 'AccountRecovered') ORDER BY position");
  return {
    /** Undefined for an event that is archived. */
    at(at: Position): RecordedEvent | undefined {
      const row = one.get(position(at)) as unknown as EventColumns | undefined;
      return row && toRecordedEvent(row);
    },
    *coolDowns(): Generator<RecordedEvent> {
      for (const row of coolDowns.iterate()) yield toRecordedEvent(row as unknown as EventColumns);
    },
    close: () => database.close(),
  };
}

import type { DatabaseSync } from 'node:sqlite';
import { IN_ORDER, preparePage } from '../../eventLog/sqlite/eventRows.ts';
import { EVENT_COLUMNS, type EventTuple } from '../../eventLog/sqlite/eventTuple.ts';
import type { BackupRecord } from '../format/manifest.ts';

export interface EventRange {
  readonly after: number;
  readonly upTo: number;
}

/**
 * The events of a log after a position up to another one. Each page is a read of its own: a reader that stays in one transaction lets
 * the write-ahead log grow, whose frames every commit then looks through.
 */
export function* eventRows(
  database: DatabaseSync,
  { after, upTo }: EventRange,
  onPage: (position: number) => void,
): Generator<BackupRecord> {
  yield { table: 'events', of: 'log.sqlite', columns: EVENT_COLUMNS.split(', ') };
  const page = preparePage(database, EVENT_COLUMNS, IN_ORDER);
  for (let last = after; ; ) {
    const rows = page.all(last, upTo) as unknown as EventTuple[];
    yield* rows;
    const end = rows.at(-1);
    if (end === undefined) return;
    [last] = end;
    onPage(last);
  }
}

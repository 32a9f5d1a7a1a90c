import { type Position, position } from '../../domain/core/brands.ts';
import type { StoredEvent } from '../../eventLog/eventLog.ts';
import { createReader } from '../../eventLog/sqlite/reader.ts';

/** Where events come from. */
export interface LogReader {
  /** Events behind `after`, in order, at most `limit`; none where there are no more at the moment. */
  read(after: Position, limit: number): readonly StoredEvent[];
  /** Position of the last event. */
  head(): Position;
  close(): void;
}

const END = position(Number.MAX_SAFE_INTEGER);

/**
 * The file of the embedded log, or of the copy that a node keeps of EventStoreDB, through a connection of its own: nobody
 * who appends has to wait.
 */
export function openLogReader(path: string): LogReader {
  const reader = createReader(path);
  return {
    read(after, limit) {
      const events: StoredEvent[] = [];
      for (let cursor = after; events.length < limit; ) {
        const page = reader.storedPage(cursor, END);
        const last = page.at(-1);
        if (!last) break;
        events.push(...page.slice(0, limit - events.length));
        cursor = last.position;
      }
      return events;
    },
    head: () => reader.head(),
    close: () => reader.close(),
  };
}

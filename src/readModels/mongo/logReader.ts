import { type Position, position } from '../../domain/core/brands.ts';
import { LOSSES_STREAM, LossAccepted } from '../../domain/losses/events.ts';
import { archivePathOf } from '../../eventLog/archive/archiveFile.ts';
import type { HashAt } from '../../eventLog/continuity.ts';
import type { StoredEvent } from '../../eventLog/eventLog.ts';
import { continuedHash } from '../../eventLog/hashChain.ts';
import { createReader } from '../../eventLog/sqlite/reader.ts';
import { ArchiveReader } from '../archiveReader.ts';

/** Reads the events to project. */
export interface LogReader {
  /** At most `limit` events after `after`, in order; none at the end of the log. */
  read(after: Position, limit: number): readonly StoredEvent[];
  /** What is archived of the log. */
  readonly archive: ArchiveReader;
  /** For the check that events continue each other. */
  readonly hashAt: HashAt;
  /** Up to this position, an operator has accepted gaps. */
  acceptedUpTo(): number;
  /** Position of the last event. */
  head(): Position;
  close(): void;
}

const END = position(Number.MAX_SAFE_INTEGER);

/**
 * Reads the file of the embedded log, or of the node's copy of EventStoreDB, through a connection of its own, so that appends
 * do not wait.
 */
export function openLogReader(path: string): LogReader {
  const reader = createReader(path);
  const archive = new ArchiveReader(archivePathOf(path));
  return {
    archive,
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
    hashAt(stream, revision) {
      const [event] = reader.streamPage(stream, revision, END);
      return event?.revision === revision ? continuedHash(event) : archive.hashAt(stream, revision);
    },
    acceptedUpTo() {
      let upTo = 0;
      for (const { type, data, position: at } of reader.streamPage(LOSSES_STREAM, 0, END)) {
        if (type === LossAccepted.type && (data as { readonly of: string }).of === 'log') upTo = at;
      }
      return upTo;
    },
    head: () => reader.head(),
    close: () => reader.close(),
  };
}

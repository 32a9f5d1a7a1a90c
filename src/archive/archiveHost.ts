import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ARCHIVE_STREAM, type ArchiveEvent } from '../domain/archive/events.ts';
import type { Instant } from '../domain/core/brands.ts';
import type { PositionRange } from '../eventLog/archive/segment.ts';
import { newEventId } from '../eventLog/eventId.ts';
import { type Actor, type EventLog, NO_STREAM } from '../eventLog/eventLog.ts';
import type { PlacedRow } from '../eventLog/sqlite/archivedRows.ts';
import { CannotArchive } from './cannotArchive.ts';
import type { SharedArchive } from './sharedArchive.ts';

/** The log whose days are archived. */
export interface ArchiveHost {
  readonly log: Pick<EventLog, 'append' | 'readStream'>;
  /** The log's file. */
  readonly logPath: string;
  /** Of a store that several nodes share; their mirrors then follow the events about archives by themselves. */
  readonly shared?: SharedArchive | undefined;
  /** Remove and restore rows, between the appends of the log; absent with `shared`. */
  readonly removeRows?: ((ranges: readonly PositionRange[]) => Promise<void>) | undefined;
  readonly restoreRows?: ((rows: readonly PlacedRow[]) => Promise<void>) | undefined;
  readonly actor: Actor;
  readonly now: () => Instant;
}

const MAX_ATTEMPTS = 10;
const PAUSE_MS = 200;

/** Appends an event about the archive. @throws CannotArchive when the log does not take it */
export async function appendArchiveEvent(
  { log, actor, now }: Pick<ArchiveHost, 'log' | 'actor' | 'now'>,
  { type, data }: ArchiveEvent,
): Promise<void> {
  const event = { id: newEventId(), type, data, time: now(), actor, correlationId: randomUUID() };
  let reason = '';
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    let revision = NO_STREAM;
    for await (const existing of log.readStream(ARCHIVE_STREAM)) {
      if (existing.id === event.id) return;
      revision = existing.revision;
    }
    const outcome = await log.append(ARCHIVE_STREAM, revision, [event]);
    if (outcome.kind === 'committed') return;
    if (outcome.kind === 'rejected') {
      reason = outcome.reason;
      break;
    }
    reason = outcome.kind === 'unknown' ? outcome.error.message : 'another process writes to the log';
    await delay(PAUSE_MS);
  }
  throw new CannotArchive('not_recorded', `The log did not take the event ${type}: ${reason}. Run the command again.`);
}

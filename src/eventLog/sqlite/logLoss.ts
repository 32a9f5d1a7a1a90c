import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type Instant, iso, type Position } from '../../domain/core/brands.ts';
import { ArchivedEvents } from '../archive/archivedEvents.ts';
import { archivePathOf } from '../archive/archiveFile.ts';
import { openForReading } from './database.ts';
import { EMPTY_LOG, type LogEnd, readLogEnd, readLogEndAt } from './logEnd.ts';

/** How far a log is known to have reached, and how this is known. */
export interface KnownEnd extends LogEnd {
  /** Id of the last event; undefined where it is not known. */
  readonly id?: string | null;
  /** For the message, for example `log.mark`. */
  readonly source: string;
}

/** A log that lacks events. */
export interface LogLoss {
  readonly known: KnownEnd;
  /** Where the log ends. */
  readonly found: LogEnd;
  /** Number of lost events; undefined when the log has other events than were known. */
  readonly lost: number | undefined;
}

/** The log lacks events that this data folder had; the message says which, and what to do. */
export class LogLacksEvents extends Error {
  override readonly name = 'LogLacksEvents';
  readonly code = 'LOG_LACKS_EVENTS';
  readonly loss: LogLoss;
  /** What is missing, without the remedy. */
  readonly description: string;
  /** @param path the log's file, or its name @param remedy how to restore it @param description default: from the loss */
  constructor(path: string, loss: LogLoss, remedy: string, description = describeLoss(path, loss)) {
    super(`${description} ${remedy}`);
    this.loss = loss;
    this.description = description;
  }
}

function describeLoss(path: string, { known, found, lost }: LogLoss): string {
  const ends = found.position === 0 ? 'is empty' : `ends at position ${found.position}${shownTime(found.time)}`;
  const reached = `${known.source} proves that it reached position ${known.position}${shownTime(known.time)}`;
  if (lost !== undefined)
    return `${path} ${ends}, but ${reached}: ${lost} ${lost === 1 ? 'event is' : 'events are'} missing.`;
  return (
    `${path} is not the log that this data folder had: ${reached}, and the event there is another one. ` +
    `It ${ends}; how many events are missing cannot be determined.`
  );
}

const shownTime = (time: Instant | null): string => (time === null ? '' : ` (${iso(time)})`);

/** What is made from the log again, so that a file of another installation may simply be deleted. */
const MADE_AGAIN: ReadonlySet<string> = new Set(['readmodels.sqlite', 'tree.sqlite']);

/**
 * The ways on, for the embedded log.
 * @param source what proves that events are missing
 */
export const restoreOrAccept = (path: string, source?: string): string =>
  `Restore ${basename(path)} together with ${basename(path)}-wal, or the whole data folder from a backup. ` +
  'To go on without the missing events, run "svc accept-loss", which records it in the log.' +
  (source !== undefined && MADE_AGAIN.has(source)
    ? ` If the log is right and ${source} was copied from another installation, delete ${source}: svc makes it again.`
    : '');

/**
 * Compares a log's file with what is known of it. Opens it for reading only, so nothing that a restore needs is changed.
 * @returns the loss that the furthest knowledge proves; undefined when nothing is missing
 * @throws the error of SQLite for a file that is no database
 */
export function findLogLoss(path: string, known: readonly KnownEnd[]): LogLoss | undefined {
  if (!existsSync(path)) return lossOf(known, EMPTY_LOG, () => undefined);
  const database = openForReading(path);
  try {
    // A new file has no table yet.
    const isEmpty = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events'").get() === undefined;
    if (isEmpty) return lossOf(known, EMPTY_LOG, () => undefined);
    const all = [...known, ...ownCounter(database)];
    return lossOf(
      all,
      readLogEnd(database),
      (end) => readLogEndAt(database, end.position) ?? archivedEventAt(archivePathOf(path), end),
    );
  } finally {
    database.close();
  }
}

/** An event without a row is known by its id; its remaining entry does not name its hash. */
function archivedEventAt(path: string, { position, hash, time }: KnownEnd): ReturnType<typeof readLogEndAt> {
  const archived = ArchivedEvents.open(path);
  try {
    const entry = archived?.entryAt(position);
    return entry === undefined ? undefined : { position, hash, time, id: JSON.parse(entry).id as string };
  } finally {
    archived?.close();
  }
}

/** SQLite counts the positions that it has given; those of a rolled back transaction it gives again. */
function ownCounter(database: DatabaseSync): KnownEnd[] {
  const hasCounter = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'").get() !== undefined;
  const row = hasCounter ? database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'").get() : undefined;
  return row ? [{ position: row.seq as Position, hash: null, time: null, source: 'its counter of positions' }] : [];
}

type EventAt = (known: KnownEnd) => ReturnType<typeof readLogEndAt>;

function lossOf(known: readonly KnownEnd[], found: LogEnd, eventAt: EventAt): LogLoss | undefined {
  // Of those that reach equally far, the mark comes first: it knows the most.
  const furthestFirst = known.toSorted((left, right) => right.position - left.position);
  for (const end of furthestFirst) {
    if (end.position > found.position) return { known: end, found, lost: end.position - found.position };
    if (end.position > 0 && !isSameEvent(end, eventAt(end))) return { known: end, found, lost: undefined };
  }
  return undefined;
}

const isSameEvent = ({ hash, id }: KnownEnd, event: ReturnType<typeof readLogEndAt>): boolean =>
  event !== undefined && (hash === null || hash === event.hash) && (id === undefined || id === null || id === event.id);

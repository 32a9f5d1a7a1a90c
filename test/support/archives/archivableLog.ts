import { join } from 'node:path';
import fc from 'fast-check';
import { onTestFinished } from 'vitest';
import { archiveDays } from '../../../src/archive/archiveDays.ts';
import type { ArchiveHost } from '../../../src/archive/archiveHost.ts';
import { instant, position } from '../../../src/domain/core/brands.ts';
import { archivePathOf } from '../../../src/eventLog/archive/archiveFile.ts';
import { dailyStream } from '../../../src/eventLog/dailyStream.ts';
import { newEventId } from '../../../src/eventLog/eventId.ts';
import { NO_STREAM, type RecordedEvent, type StoredEvent } from '../../../src/eventLog/eventLog.ts';
import { openForReading } from '../../../src/eventLog/sqlite/database.ts';
import { createSqliteEventLog, type SqliteEventLog } from '../../../src/eventLog/sqlite/sqliteEventLog.ts';
import { leafEntryOf, type StoredRow } from '../../../src/integrity/leaf/leafEntry.ts';
import { tempFolder } from '../../contract/tempFolder.ts';
import { anyHistory } from '../histories.ts';
import { completed } from '../management.ts';
import { NOW } from '../specification.ts';

const HOUR_MS = 3_600_000;
const REQUEST_EVERY_HOURS = 12;
/** Events that say something about the log itself. */
const ABOUT_LOG = new Set(['LossAccepted', 'VaultLossAccepted', 'EventParked', 'DayArchived', 'ArchiveRestored']);

/** A log in a folder of its own, whose requests are those of several days and of two nodes in turn. */
export async function archivableLog(events: number) {
  const temp = await tempFolder();
  onTestFinished(() => temp[Symbol.asyncDispose]());
  const logPath = join(temp.path, 'log.sqlite');
  const log = await createSqliteEventLog({ path: logPath, node: 'n1', archivePath: archivePathOf(logPath) });
  onTestFinished(() => log.close());
  const [drafts = []] = fc.sample(anyHistory({ minLength: events, maxLength: events }), 1);
  const revisions = new Map<string, number>();
  for (const [index, draft] of drafts.filter(({ type }) => !ABOUT_LOG.has(type)).entries()) {
    const time = instant(NOW + index * HOUR_MS);
    await append(log, draft, time, index, revisions);
    // A random history may have no request on a day.
    if (index % REQUEST_EVERY_HOURS === 0) await append(log, requestAt(time), time, events + index, revisions);
  }
  const folder = join(temp.path, 'archives');
  const host: ArchiveHost = {
    log,
    logPath,
    removeRows: log.removeRows,
    restoreRows: log.restoreRows,
    actor: { kind: 'system', reason: 'test' },
    now: () => instant(NOW + (events + 48) * HOUR_MS),
  };
  return {
    log,
    logPath,
    folder,
    path: temp.path,
    host,
    /** Appends one more request, at a time. */
    appendRequest: (time: number) => append(log, requestAt(time), time, 0, revisions),
    archive: (until = '9999-12-31') => archiveDays({ host, folder, until }),
  };
}

const requestAt = (time: number) => ({ ...completed({ requestedAt: instant(time) }), stream: 'requests-' });

async function append(
  log: SqliteEventLog,
  { type, data, stream }: Pick<RecordedEvent, 'type' | 'data' | 'stream'>,
  time: number,
  index: number,
  revisions: Map<string, number>,
): Promise<void> {
  const daily = dailyStream(`requests-n${index % 2}.b1_`);
  const name = stream.startsWith('requests-') ? daily(time) : stream;
  const revision = revisions.get(name) ?? NO_STREAM;
  const outcome = await log.append(name, revision, [
    {
      id: newEventId(),
      type,
      data,
      time: instant(time),
      actor: { kind: 'system', reason: 'test' },
      correlationId: `request ${index}`,
    },
  ]);
  if (outcome.kind !== 'committed') throw new Error(JSON.stringify(outcome));
  revisions.set(name, outcome.revision);
}

/** All events of a log, of which none is archived. */
export const storedEvents = (log: SqliteEventLog): Promise<StoredEvent[]> => Array.fromAsync(log.readAll(position(0)));

/** The rows of a log's file. */
export function rowsIn(logPath: string): StoredRow[] {
  using database = openForReading(logPath);
  return database.prepare('SELECT * FROM events ORDER BY position').all() as unknown as StoredRow[];
}

/** The leaf entries of rows, by their position. */
export const entriesOf = (rows: readonly StoredRow[]): Map<number, string> =>
  new Map(rows.map((row) => [row.position, leafEntryOf(row)]));

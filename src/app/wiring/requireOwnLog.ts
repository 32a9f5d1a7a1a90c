import { existsSync } from 'node:fs';
import type { DataFolder } from '../../dataFolder/dataFolder.ts';
import { readMarkFile } from '../../dataFolder/markFile.ts';
import { openForReading } from '../../eventLog/sqlite/database.ts';
import { hasEvents } from '../../eventLog/sqlite/hasEvents.ts';
import { type LogEnd, readLogEnd } from '../../eventLog/sqlite/logEnd.ts';
import { MARK_FILES } from './knownLog.ts';

/** The data folder is that of a node with EventStoreDB, and the settings name none. */
export class FolderOfEventStore extends Error {
  override readonly name = 'FolderOfEventStore';
}

/** What only a node with EventStoreDB has. A backup has the first one. */
const FILES = ['outbox.sqlite', MARK_FILES.outbox, 'mirror.sqlite', MARK_FILES.mirror] as const;

/**
 * Checks that a data folder is not that of a node with EventStoreDB: an embedded log in it would lack the node's history, and
 * the events in its outbox, which may exist nowhere else, would stay there. Only reads.
 * A folder into which a history was moved back from EventStoreDB has all of it in its log, beside the files from before.
 * @throws FolderOfEventStore
 */
export function requireOwnLog(folder: Pick<DataFolder, 'file' | 'path'>): void {
  const found = FILES.filter((name) => existsSync(folder.file(name)));
  if (found.length === 0) return;
  const log = folder.file('log.sqlite');
  if (hasEvents(log) && embeddedEnd(folder, log) >= markedEnd(folder, MARK_FILES.mirror)) return;
  throw new FolderOfEventStore(
    `${folder.path} is the data folder of a node with EventStoreDB (it has ${found.join(', ')}), and SVC_EVENTSTORE_URL is not set. ` +
      'Without it svc would begin another history here, and events that wait in the outbox would not reach EventStoreDB. Nothing was changed. ' +
      'Set SVC_EVENTSTORE_URL, or set SVC_DATA_DIR to another folder for a service without EventStoreDB.',
  );
}

/** The last position that the embedded log has, or had according to its mark: the loss of the rest has an error of its own. */
function embeddedEnd(folder: Pick<DataFolder, 'file'>, path: string): number {
  return Math.max(readEnd(path), markedEnd(folder, MARK_FILES.log));
}

/** A file that cannot be read is reported by whatever opens the log. */
function readEnd(path: string): number {
  try {
    const database = openForReading(path);
    try {
      return readLogEnd(database).position;
    } finally {
      database.close();
    }
  } catch (error) {
    if ((error as { errcode?: number }).errcode === undefined) throw error;
    return Number.POSITIVE_INFINITY;
  }
}

function markedEnd(folder: Pick<DataFolder, 'file'>, name: string): number {
  const content = readMarkFile<LogEnd>(folder.file(name));
  return content.kind === 'mark' ? content.mark.position : 0;
}

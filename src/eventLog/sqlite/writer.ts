import type { Position } from '../../domain/core/brands.ts';
import { orEndThread, serveThread } from '../../lib/threads/serveThread.ts';
import { removeRows, restoreRows } from './archivedRows.ts';
import { unpackBatch } from './batchText.ts';
import { createBatchWriter } from './batchWriter.ts';
import { isIoError, openForWriting, probeWrites } from './database.ts';
import { keepLogMark } from './logMark.ts';
import { park } from './park.ts';
import { prune } from './prune.ts';
import type { WriterThread } from './writerProtocol.ts';

// Program of the writer thread of the embedded log: one request is one transaction.

await serveThread<WriterThread>(({ mark: settings, archivePath, ...options }, report) => {
  const database = openForWriting(options);
  const mark = settings && keepLogMark(database, settings, (failure) => report('markWritten', failure));
  const write = createBatchWriter(database, mark?.onCommitted, archivePath);
  const { head } = database.prepare('SELECT coalesce(max(position), 0) AS head FROM events').get() as {
    head: Position;
  };
  return {
    ready: { head },
    requests: {
      // After an I/O error the thread ends: the next one opens the file again, and proves first that it is durable.
      commit: orEndThread((batch) => write(unpackBatch(batch))),
      park: endingAfterIoError((request) => {
        const parked = park(database, request);
        mark?.onDeleted();
        return parked;
      }),
      probe: endingAfterIoError(() => probeWrites(database)),
      removeRows: endingAfterIoError((ranges) => removeRows(database, ranges)),
      restoreRows: endingAfterIoError((rows) => restoreRows(database, rows)),
    },
    notifications: {
      prune(ranges) {
        prune(database, ranges);
        mark?.onDeleted();
      },
    },
    stop() {
      mark?.close();
      database.close();
    },
  };
});

/** Replies with any error, and ends the thread after an I/O error. */
function endingAfterIoError<Args extends readonly unknown[], Returned>(
  handler: (...args: Args) => Returned,
): (...args: Args) => Returned {
  return (...args) => {
    try {
      return handler(...args);
    } catch (error) {
      if (isIoError(error))
        queueMicrotask(() => {
          throw error;
        });
      throw error;
    }
  };
}

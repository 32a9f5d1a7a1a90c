import type { Position } from '../../domain/core/brands.ts';
import { orEndThread, serveThread } from '../../lib/threads/serveThread.ts';
import { removeRows, restoreRows } from './archivedRows.ts';
import { unpackBatch } from './batchText.ts';
import { createBatchWriter } from './batchWriter.ts';
import { isIoError, openForWriting, probeWrites } from './database.ts';
import { guardJournal, type JournalFault } from './journalGuard.ts';
import { keepLogMark } from './logMark.ts';
import { park } from './park.ts';
import { prune } from './prune.ts';
import type { WriterThread } from './writerProtocol.ts';

// Program of the writer thread of the embedded log: one request is one transaction.

/** How often the path of the write-ahead log is compared with the open file. */
const CHECK_PATH_MS = 1_000;

await serveThread<WriterThread>(({ mark: settings, archivePath, ...options }, report) => {
  const database = openForWriting(options);
  const mark = settings && keepLogMark(database, settings, (failure) => report('markWritten', failure));
  const journal = guardJournal(database, options.path);
  const write = createBatchWriter(database, mark?.onCommitted, archivePath);
  const { head } = database.prepare('SELECT coalesce(max(position), 0) AS head FROM events').get() as {
    head: Position;
  };
  let reported: JournalFault | undefined;

  /** Reports a fault of the write-ahead log once, and its end. */
  function journalFault(check = journal.check): JournalFault | undefined {
    const fault = check();
    if (fault?.reason !== reported?.reason || fault?.remedy !== reported?.remedy)
      report('journalChecked', fault && { ...fault, isCut: journal.isCut });
    reported = fault;
    return fault;
  }

  function requireJournal(): void {
    const fault = journalFault();
    if (fault) throw new Error(fault.reason);
  }

  const timer = setInterval(() => journalFault(journal.checkPath), CHECK_PATH_MS);
  return {
    ready: { head },
    requests: {
      // After an I/O error the thread ends: the next one opens the file again, and proves first that it is durable.
      commit: orEndThread((batch) => {
        const appends = unpackBatch(batch);
        const fault = journalFault();
        return fault ? appends.map(() => ({ kind: 'rejected', ...fault })) : write(appends);
      }),
      park: endingAfterIoError((request) => {
        requireJournal();
        const parked = park(database, request);
        mark?.onDeleted();
        return parked;
      }),
      probe: endingAfterIoError(() => {
        requireJournal();
        probeWrites(database);
      }),
      removeRows: endingAfterIoError((ranges) => {
        requireJournal();
        removeRows(database, ranges);
      }),
      restoreRows: endingAfterIoError((rows) => {
        requireJournal();
        restoreRows(database, rows);
      }),
    },
    notifications: {
      prune(ranges) {
        // The next prune removes them, too.
        if (journalFault()) return;
        prune(database, ranges);
        mark?.onDeleted();
      },
    },
    stop() {
      clearInterval(timer);
      mark?.close();
      journal.close();
      // Closing copies the write-ahead log into the database, unless another connection is open: the reader of the owner.
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

import { constants, setPriority } from 'node:os';
import { ArchivedEvents } from '../eventLog/archive/archivedEvents.ts';
import { archivePathOf } from '../eventLog/archive/archiveFile.ts';
import { ArchiveWriter } from '../eventLog/archive/archiveWriter.ts';
import { serveThread } from '../lib/threads/serveThread.ts';
import { sealDay } from './sealDay.ts';
import type { SealThread } from './sealProtocol.ts';

// Program of a thread that seals days. It may be ended at any moment: nothing counts before its transaction ends.

// Requests have priority. Only Linux applies this to the thread alone; elsewhere it would affect the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);
await serveThread<SealThread>(({ logPath, folder }, report) => ({
  requests: {
    seal(day) {
      const path = archivePathOf(logPath);
      const writer = new ArchiveWriter(path);
      const archived = ArchivedEvents.open(path);
      try {
        const onProgress = (done: number, of: number) => report('progress', { done, of });
        return sealDay(day, { logPath, folder, archived, writer, onProgress });
      } finally {
        archived?.close();
        writer.close();
      }
    },
  },
}));

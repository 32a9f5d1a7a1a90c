import { constants, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { serveThread } from '../../lib/threads/serveThread.ts';
import { archivePathOf } from '../archive/archiveFile.ts';
import { withArchive } from '../archive/withArchive.ts';
import { openForReading } from '../sqlite/database.ts';
import { HashVerifier } from './hashVerifier.ts';
import { SurplusFields } from './surplusFields.ts';
import type { VerifyThread } from './verifyProtocol.ts';

// Program of a thread that verifies the log once.

/** Pauses four times as long as it works: a fifth of a core at most, also where the priority does not apply. */
const PAUSE_FACTOR = 4;
const PROGRESS_INTERVAL_MS = 1_000;

// Requests have priority. Only Linux applies this to the thread alone; elsewhere it would affect the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);
await serveThread<VerifyThread>((_options, report) => ({
  requests: {
    async verify({ logPath, after, fieldsAfter }) {
      const database = openForReading(logPath);
      const path = archivePathOf(logPath);
      // Days may be archived while this runs, also the first one.
      const archived = {
        hashAt: (stream: string, revision: number) => withArchive(path, (archive) => archive.hashAt(stream, revision)),
        covers: (first: number, last: number) => withArchive(path, (archive) => archive.covers(first, last)) ?? false,
      };
      try {
        const fields = new SurplusFields(fieldsAfter);
        const verifier = new HashVerifier(database, after, (event) => fields.add(event), archived);
        let reportedAt = performance.now();
        for (;;) {
          const since = performance.now();
          const found = verifier.step();
          if (!found) return verifier.position;
          const now = performance.now();
          const surplus = fields.take();
          if (found.length + surplus.length > 0 || now - reportedAt > PROGRESS_INTERVAL_MS) {
            report('progress', { position: verifier.position, found, surplus });
            reportedAt = now;
          }
          await delay(PAUSE_FACTOR * (now - since));
        }
      } finally {
        database.close();
      }
    },
  },
}));

import { openForReading } from '../../eventLog/sqlite/database.ts';
import { prepareEventRows } from '../../eventLog/sqlite/eventRows.ts';
import { orEndThread, serveThread } from '../../lib/threads/serveThread.ts';
import { transfer } from '../../lib/threads/transfer.ts';
import { PagePacker } from './packPage.ts';
import type { PageThreadProtocol } from './pageThread.ts';

// Program of the thread that reads pages of the log for a fold on another thread. It imports little, because a start waits for it.

await serveThread<PageThreadProtocol>((path) => {
  const rows = prepareEventRows(openForReading(path));
  const packer = new PagePacker();
  return {
    requests: {
      // Pages refer to texts of earlier pages, so none can be read after one that failed.
      read: orEndThread(([after, upTo]) => {
        const page = packer.pack(rows(after, upTo));
        return transfer(page, [page.numbers.buffer]);
      }),
    },
  };
});

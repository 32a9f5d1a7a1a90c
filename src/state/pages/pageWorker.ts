import { orEndThread, serveThread } from '../../lib/threads/serveThread.ts';
import { transfer } from '../../lib/threads/transfer.ts';
import { openForPages, preparePackedPages } from './packedPages.ts';
import type { PageThreadProtocol } from './pageThread.ts';

// Program of the thread that reads pages of the log for a fold on another thread. It imports little, because a start waits for it.

await serveThread<PageThreadProtocol>((path) => {
  const packedPage = preparePackedPages(openForPages(path));
  return {
    requests: {
      // Pages refer to texts of earlier pages, so none can be read after one that failed.
      read: orEndThread(([after, upTo]) => {
        const page = packedPage(after, upTo);
        return transfer(page, [page.numbers.buffer]);
      }),
    },
  };
});

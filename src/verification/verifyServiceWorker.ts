import { constants, setPriority } from 'node:os';
import { serveThread } from '../lib/threads/serveThread.ts';
import { verifyFolder } from './verifyFolder.ts';
import type { VerifyServiceThread } from './verifyThread.ts';

// Program of a thread that verifies the log of a running service.

const REPORT_INTERVAL_MS = 200;

// Requests have priority. On Linux, this is that of this thread and of those that it starts; elsewhere it would be that of the process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

await serveThread<VerifyServiceThread>((_options, report) => {
  let reportedAt = 0;
  return {
    requests: {
      verify: (task) =>
        verifyFolder({
          ...task,
          isOptional: true,
          onStep: (step) => report('step', step),
          onProgress(events, of) {
            if (performance.now() - reportedAt < REPORT_INTERVAL_MS) return;
            reportedAt = performance.now();
            report('progress', { events, of });
          },
        }),
    },
  };
});

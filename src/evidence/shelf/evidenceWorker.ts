import { constants, setPriority } from 'node:os';
import { serveThread } from '../../lib/threads/serveThread.ts';
import { madeBy } from '../make/describeMade.ts';
import { makeEvidence } from '../make/makeEvidence.ts';
import type { EvidenceThread } from './evidenceThread.ts';

// Program of a thread that makes a bundle beside the requests of a service.

const REPORT_INTERVAL_MS = 200;

// On Linux a priority is that of a thread.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

await serveThread<EvidenceThread>((_, report) => {
  let reportedAt = 0;
  return {
    requests: {
      make: (task) =>
        makeEvidence({
          ...task,
          madeBy,
          isBackground: true,
          onStep: (step) => report('step', step),
          onProgress(position, of) {
            if (performance.now() - reportedAt < REPORT_INTERVAL_MS) return;
            reportedAt = performance.now();
            report('progress', { position, of });
          },
        }),
    },
  };
});

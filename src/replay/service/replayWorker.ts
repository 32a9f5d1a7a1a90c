import { constants, setPriority } from 'node:os';
import { serveThread } from '../../lib/threads/serveThread.ts';
import { replayJson } from '../replayJson.ts';
import { replayLog } from '../replayLog.ts';
import { simulateLog } from '../whatIf/simulateLog.ts';
import type { ReplayReport, ReplayServiceThread, ReplayTask } from './replayThread.ts';

// Program of a thread that replays the log of a running service.

const REPORT_INTERVAL_MS = 200;
/** A log that was changed may differ in every decision. */
const MAX_DIFFERENCES = 1_000;

// Requests have priority. On Linux, this is that of this thread and of those that it starts; elsewhere it would be that of the process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

await serveThread<ReplayServiceThread>((_options, report) => {
  let reportedAt = 0;
  const onProgress = (events: number, of: number): void => {
    if (performance.now() - reportedAt < REPORT_INTERVAL_MS) return;
    reportedAt = performance.now();
    report('progress', { events, of });
  };
  return { requests: { replay: (task) => replay(task, onProgress) } };
});

async function replay(
  { whatIf, ...period }: ReplayTask,
  onProgress: (events: number, of: number) => void,
): Promise<ReplayReport> {
  const options = { ...period, onProgress };
  const simulated = whatIf && (await simulateLog({ ...options, whatIf }));
  const result = simulated?.replay ?? (await replayLog(options));
  const { differences, ...counts } = replayJson(result);
  return {
    ...counts,
    differences: differences.slice(0, MAX_DIFFERENCES),
    more_differences: Math.max(0, differences.length - MAX_DIFFERENCES),
    what_if: simulated?.whatIf ?? null,
  };
}

import { Deliverer } from '../../alerts/deliverer.ts';
import { FailureRate } from '../../alerts/failureRate.ts';
import { nodeConditions } from '../../alerts/nodeConditions.ts';
import type { PostNotification } from '../../alerts/postNotification.ts';
import { sharedConditions } from '../../alerts/sharedConditions.ts';
import { unrecordedFile } from '../../alerts/unrecordedFile.ts';
import { AlertWatch } from '../../alerts/watch.ts';
import type { Foundation } from './foundation.ts';
import { whenTermEnds } from './leaderTasks.ts';

/** Watches for what alerts are about, and notifies webhooks. */
export interface Alerts {
  start(): void;
  stop(): Promise<void>;
}

/** One node looks at what all share and delivers; each one watches its own faults (docs/decisions/0103-alerts.md). */
export function createAlerts(
  { config, folder, store, hot, handle, clock, now, newId, report, faults, leaderTasks, systemCause }: Foundation,
  { postNotification: post, publicUrl }: { readonly postNotification: PostNotification; readonly publicUrl: string },
): Alerts {
  const cause = () => systemCause('alerts');
  const thresholds = { poolPercent: config.SVC_ALERT_POOL_PERCENT, errorPercent: config.SVC_ALERT_ERROR_PERCENT };
  const rate = new FailureRate();
  hot.onFolded(({ type, data, time }) => {
    if (type === 'RequestCompleted') rate.count(data.status, time);
  });
  const { vault } = store;
  const deliverer = new Deliverer({ hot, handle, cause, vault, post, faults, now, publicUrl });
  let isLeading = false;
  const watch = new AlertWatch({
    ...{ hot, handle, cause, newId, now, report },
    node: folder.node,
    ofNode: () => nodeConditions(faults.current, folder.node),
    shared() {
      const times = { now: now(), windowsNow: clock.limitClock.shown() };
      return isLeading ? sharedConditions(hot.state, rate, thresholds, times) : undefined;
    },
    unrecorded: unrecordedFile(folder.file('alerts-unrecorded.json')),
    sendUnrecorded: (alert) => deliverer.sendUnrecorded(alert),
  });
  let task: ReturnType<Foundation['leaderTasks']['start']> | undefined;
  return {
    start() {
      task = leaderTasks.start('alerts', async (term) => {
        isLeading = true;
        try {
          await deliverer.deliver(term.signal);
          await whenTermEnds(term);
        } finally {
          isLeading = false;
        }
      });
      watch.start();
    },
    async stop() {
      await watch.stop();
      await deliverer.stop();
      await task?.stop();
    },
  };
}

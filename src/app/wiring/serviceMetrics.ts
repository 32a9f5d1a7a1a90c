import { countDescriptors } from '../../lib/descriptors/systemDescriptors.ts';
import { gauge, type Sample, single } from '../../lib/metrics/metric.ts';
import { processMetrics } from '../../lib/metrics/processMetrics.ts';
import type { ReadModels } from '../../readModels/readModels.ts';
import { accountMetrics } from '../metrics/accountMetrics.ts';
import { type Follower, lagMetrics } from '../metrics/lagMetrics.ts';
import { limitMetrics } from '../metrics/limitMetrics.ts';
import type { KeptCheckpoints } from './checkpoints.ts';
import type { Foundation } from './foundation.ts';
import type { PendingState } from './pendingState.ts';
import { VERSION } from './version.ts';

export interface ServiceMetricsOptions {
  readonly pendingState: PendingState;
  readonly readModels: Pick<ReadModels, 'progress'>;
  readonly tree: Parameters<typeof lagMetrics>[0]['tree'];
  readonly checkpoints: KeptCheckpoints;
  readonly sinks?: () => readonly Follower[];
}

/** Adds what is read from the parts of the service at each scrape. What requests count is added by `createProxySurface`. */
export function addServiceMetrics(foundation: Foundation, options: ServiceMetricsOptions): void {
  const { metrics, store, hot, now, clock, descriptors, faults, nodes } = foundation;
  const { pendingState, readModels, tree, checkpoints, sinks = () => [] } = options;
  metrics.add(
    gauge('svc_build_info', 'Always 1; the labels say what runs.', ['version', 'node_version', 'store'], () => [
      { labels: { version: VERSION, node_version: process.version, store: store.name }, value: 1 },
    ]),
    ...processMetrics({
      open: () => {
        const open = countDescriptors()?.open;
        return Number.isFinite(open) ? open : undefined;
      },
      limit: () => descriptors.limit,
    }),
    gauge('svc_outbox_events', 'Events in the outbox by state; absent without EventStoreDB.', ['state'], () => {
      const { outbox } = store;
      if (!outbox) return [];
      return [
        { labels: { state: 'pending' }, value: outbox.pending },
        { labels: { state: 'parked' }, value: outbox.parked },
      ];
    }),
    gauge('svc_nodes', 'Live nodes that share the event store, this one included.', [], () => single(nodes.count)),
    gauge('svc_store_connected', '1 while this node has contact with the event store, else 0.', [], () =>
      single(store.cutOffSince === undefined ? 1 : 0),
    ),
    gauge('svc_problems', 'What is wrong at the moment, by code (GET /api/status has the sentences).', ['code'], () =>
      problemsByCode(faults.current),
    ),
    ...lagMetrics({ head: () => hot.state.position, progress: readModels.progress, tree, checkpoints, sinks }),
    ...accountMetrics({ hot: hot.state, coolDowns: pendingState.cooldowns, now }),
    ...limitMetrics({ hot: hot.state, windowsNow: () => clock.limitClock.shown() }),
  );
}

function problemsByCode(faults: readonly { readonly code: string }[]): Sample[] {
  const counts = new Map<string, number>();
  for (const { code } of faults) counts.set(code, (counts.get(code) ?? 0) + 1);
  return Array.from(counts, ([code, value]) => ({ labels: { code }, value }));
}

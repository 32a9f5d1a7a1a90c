import { gauge, type Metric, single } from '../../lib/metrics/metric.ts';
import type { OpenRequests } from '../exchange/openRequests.ts';

/** How many model requests are open now. */
export const openRequestMetrics = (openRequests: Pick<OpenRequests, 'counts'>): readonly Metric[] => [
  gauge('svc_open_requests', 'Model requests that have not ended.', [], () => single(openRequests.counts.open)),
  gauge('svc_open_streams', 'Model requests for which events of the provider are being relayed.', [], () =>
    single(openRequests.counts.streaming),
  ),
];

import { Histogram } from '../../lib/metrics/histogram.ts';
import type { MetricRegistry } from '../../lib/metrics/metricRegistry.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5];
const EVENTS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

/** @returns what is called with how long an append took in milliseconds, and how many events it had */
export function countAppends(metrics: MetricRegistry): (durationMs: number, events: number) => void {
  const durations = new Histogram(
    'svc_append_duration_seconds',
    'Time until an append to the event log, or to the outbox with EventStoreDB, was on disk.',
    SECONDS,
  );
  const batches = new Histogram('svc_append_events', 'Events in one append.', EVENTS);
  metrics.add(durations, batches);
  const [duration, batch] = [durations.of(), batches.of()];
  return (durationMs, events) => {
    duration.observe(durationMs / 1_000);
    batch.observe(events);
  };
}

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { gauge, type Metric, type Sample, single } from './metric.ts';

/** The descriptors of this process. */
export interface DescriptorCounts {
  /** Undefined where they cannot be counted. */
  readonly open: () => number | undefined;
  /** Undefined: there is no limit. */
  readonly limit: () => number | undefined;
}

const RESOLUTION_MS = 20;
const NS_PER_SECOND = 1e9;
const US_PER_SECOND = 1e6;

/** What the process uses: CPU, memory, descriptors, and how late its main thread is. */
export function processMetrics({ open, limit }: DescriptorCounts): readonly Metric[] {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  return [
    gauge(
      'svc_event_loop_lag_seconds',
      'How late timers of the main thread were since the scrape before, by statistic.',
      ['stat'],
      () => lagSince(delay),
    ),
    {
      name: 'svc_process_cpu_seconds_total',
      help: 'CPU time of all threads by mode.',
      type: 'counter',
      labelNames: ['mode'],
      samples() {
        const { user, system } = process.cpuUsage();
        return [
          { labels: { mode: 'user' }, value: user / US_PER_SECOND },
          { labels: { mode: 'system' }, value: system / US_PER_SECOND },
        ];
      },
    },
    gauge(
      'svc_process_memory_bytes',
      'Memory by kind: resident set of the process, heap of the main thread.',
      ['kind'],
      () => {
        const { rss, heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
        return Object.entries({
          resident: rss,
          heap_used: heapUsed,
          heap_total: heapTotal,
          external,
          array_buffers: arrayBuffers,
        }).map(([kind, value]) => ({ labels: { kind }, value }));
      },
    ),
    gauge('svc_process_open_descriptors', 'Open file descriptors.', [], () => single(open())),
    gauge('svc_process_max_descriptors', 'How many file descriptors may be open; absent without a limit.', [], () =>
      single(limit()),
    ),
    gauge('svc_process_start_time_seconds', 'When the process started, in seconds since 1970.', [], () =>
      single(performance.timeOrigin / 1_000),
    ),
  ];
}

function lagSince(delay: ReturnType<typeof monitorEventLoopDelay>): readonly Sample[] {
  // A timer that is on time comes after the resolution.
  const lag = (ns: number) => (Number.isFinite(ns) ? Math.max(0, ns / NS_PER_SECOND - RESOLUTION_MS / 1_000) : 0);
  const values = {
    mean: delay.count === 0 ? 0 : delay.mean,
    p50: delay.percentile(50),
    p99: delay.percentile(99),
    max: delay.count === 0 ? 0 : delay.max,
  };
  delay.reset();
  return Object.entries(values).map(([stat, ns]) => ({ labels: { stat }, value: lag(ns) }));
}

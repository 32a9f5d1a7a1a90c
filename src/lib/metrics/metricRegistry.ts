import type { OpenMetricsContentType, Metric as RegistryMetric } from 'prom-client';
import { withTimeout } from '../withTimeout.ts';
import type { Metric, Sample } from './metric.ts';

/** Prometheus' text formats: the classic one, and OpenMetrics. */
export type ExpositionFormat = 'text' | 'openMetrics';

export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

/** A metric that waits for another thread or a server must not hold up the scrape, which has 10 s by default. */
const SAMPLE_TIMEOUT_MS = 2_000;

const NAME = /^svc_[a-z0-9_]+$/;
const REQUESTS = 'svc_requests_total';

/**
 * All metrics of this process. Other parts add theirs while the service starts or later, for example one for each sink; they are
 * read at each scrape. prom-client writes the text; it counts nothing (docs/decisions/0097-metrics.md).
 */
export class MetricRegistry {
  readonly #metrics = new Map<string, Metric>();

  /** @throws Error for a name that is taken, or is not one of svc: a bug */
  add(...metrics: readonly Metric[]): void {
    for (const metric of metrics) {
      const { name, type } = metric;
      const isCounter = type === 'counter';
      // Dashboards of companies sum up what ends so over all services.
      const isAmbiguous = name.endsWith('requests_total') && name !== REQUESTS;
      if (!NAME.test(name) || isCounter !== name.endsWith('_total') || isAmbiguous || this.#metrics.has(name))
        throw new Error(`${name} cannot be the name of a ${type} of svc, or is taken`);
      this.#metrics.set(name, metric);
    }
  }

  /** In the order in which they were added. */
  get metrics(): readonly Metric[] {
    return [...this.#metrics.values()];
  }

  /** The present values of all metrics. */
  async expose(format: ExpositionFormat): Promise<Exposition> {
    // Most installations are never scraped, and a start must not wait for it.
    const { Registry } = await import('prom-client');
    const isOpenMetrics = format === 'openMetrics';
    const registry = isOpenMetrics ? new Registry<OpenMetricsContentType>() : new Registry();
    if (isOpenMetrics) registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never);
    for (const metric of this.#metrics.values()) registry.registerMetric(adapt(metric, isOpenMetrics));
    return { contentType: registry.contentType, text: await registry.metrics() };
  }
}

/**
 * A metric in the form that the registry of prom-client reads. A new object for each scrape, because that registry cuts `_total` off
 * the name of a counter when it writes OpenMetrics, and would leave it out of the classic text from then on.
 */
function adapt(metric: Metric, isOpenMetrics: boolean): RegistryMetric {
  const { help, type } = metric;
  const adapted = {
    name: metric.name,
    help,
    type,
    async get() {
      const values = await samplesOf(metric);
      const { name } = adapted;
      return { name, help, type, values: Array.from(values, (sample) => toValue(sample, name)), aggregator: 'sum' };
    },
  };
  if (isOpenMetrics && type === 'counter') adapted.name = metric.name.replace(/_total$/, '');
  // It is typed as the union of prom-client's own classes, of which the registry uses these members only.
  return adapted as unknown as RegistryMetric;
}

const toValue = ({ labels, value, suffix }: Sample, name: string) => ({
  labels,
  value,
  ...(suffix !== undefined && { metricName: `${name}${suffix}` }),
});

/** What cannot be read now is absent: a thread that ended, or a server that is away. */
async function samplesOf(metric: Metric): Promise<Iterable<Sample>> {
  try {
    const samples = metric.samples();
    if (!(samples instanceof Promise)) return samples;
    return (await withTimeout(SAMPLE_TIMEOUT_MS, samples)) ?? [];
  } catch {
    return [];
  }
}

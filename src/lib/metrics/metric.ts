export type Labels = Readonly<Record<string, string>>;

/** One line of a metric. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** Behind the name of the metric: `_bucket`, `_sum` or `_count` of a histogram. */
  readonly suffix?: string;
}

/** A metric as a scrape reads it. What it counts is kept elsewhere, so that counting costs no more than an addition. */
export interface Metric {
  /** Begins with `svc_`; that of a counter ends in `_total`. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Every label that a sample can have, without `le`. */
  readonly labelNames: readonly string[];
  /** Called by each scrape. May reject: then the scrape has no sample of this metric. */
  samples(): Iterable<Sample> | Promise<Iterable<Sample>>;
}

/** Values that are read when a scrape asks for them. */
export function gauge(
  name: string,
  help: string,
  labelNames: readonly string[],
  read: () => Iterable<Sample> | Promise<Iterable<Sample>>,
): Metric {
  return { name, help, type: 'gauge', labelNames, samples: read };
}

/** The sample of a metric without labels. @param value undefined: there is none now */
export const single = (value: number | undefined): readonly Sample[] =>
  value === undefined ? [] : [{ labels: {}, value }];

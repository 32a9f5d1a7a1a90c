/** What `/metrics` shows, by metric and label values. */
export interface Scraped {
  /** The text as it was read. */
  readonly text: string;
  /** Names of all metrics, also of those without a sample. */
  readonly names: readonly string[];
  /** The labels of every sample of a metric, with its value. */
  samples(name: string): readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
  /** The sum of the samples of a metric that have these label values. */
  sum(name: string, labels?: Readonly<Record<string, string>>): number;
}

/** Reads the metrics of a service. */
export async function scrape(url: string, headers: Record<string, string> = {}): Promise<Scraped> {
  const response = await fetch(`${url}/metrics`, { headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`/metrics responded ${response.status}: ${text}`);
  const samples = (name: string) =>
    text.split('\n').flatMap((line) => {
      const [, found, labels = '', value] = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (found !== name) return [];
      const pairs = Array.from(labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g), ([, key, of]) => [key, of] as const);
      return [{ labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
    });
  return {
    text,
    names: Array.from(text.matchAll(/^# TYPE (\S+)/gm), ([, name = '']) => name),
    samples,
    sum: (name, wanted = {}) =>
      samples(name)
        .filter(({ labels }) => Object.entries(wanted).every(([key, value]) => labels[key] === value))
        .reduce((sum, { value }) => sum + value, 0),
  };
}

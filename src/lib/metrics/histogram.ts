import type { Labels, Metric, Sample } from './metric.ts';

/** The counts of a histogram for one set of label values. */
export class HistogramCell {
  readonly #bounds: readonly number[];
  /** By bucket, not cumulated; the last one is for what is above all bounds. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += value;
  }

  *samples(labels: Labels): Generator<Sample> {
    let count = 0;
    for (let bucket = 0; bucket < this.#counts.length; bucket += 1) {
      count += this.#counts[bucket] as number;
      const bound = this.#bounds[bucket];
      const le = bound === undefined ? '+Inf' : String(bound);
      yield { labels: { ...labels, le }, value: count, suffix: '_bucket' };
    }
    yield { labels, value: this.#sum, suffix: '_sum' };
    yield { labels, value: count, suffix: '_count' };
  }
}

/** A histogram with at most one label, whose values come from a closed set. */
export class Histogram implements Metric {
  readonly name: string;
  readonly help: string;
  readonly type = 'histogram';
  readonly labelNames: readonly string[];
  readonly #bounds: readonly number[];
  readonly #cells = new Map<string, HistogramCell>();

  /** @param bounds the upper bounds of the buckets, ascending */
  constructor(name: string, help: string, bounds: readonly number[], labelName?: string) {
    this.name = name;
    this.help = help;
    this.labelNames = labelName === undefined ? [] : [labelName];
    this.#bounds = bounds;
  }

  /** The counts of a label value; an object to keep where they are counted often. */
  of(value = ''): HistogramCell {
    let cell = this.#cells.get(value);
    if (!cell) {
      cell = new HistogramCell(this.#bounds);
      this.#cells.set(value, cell);
    }
    return cell;
  }

  *samples(): Generator<Sample> {
    const [name] = this.labelNames;
    for (const [value, cell] of this.#cells) yield* cell.samples(name === undefined ? {} : { [name]: value });
  }
}

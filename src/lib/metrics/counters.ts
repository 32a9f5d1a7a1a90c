import type { Labels, Metric, Sample } from './metric.ts';

interface Cell {
  readonly labels: Labels;
  value: number;
}

/** The value of a label that stands for those that are not counted one by one. */
export const OTHER = 'other';

/** Label values come from closed sets; this bounds the memory if one is not as closed as it seems. */
const MAX_CELLS = 5_000;

/** A counter with labels. Finding its cell costs one look-up: prom-client's counters sort and join the labels each time. */
export class Counters<Name extends string> implements Metric {
  readonly name: string;
  readonly help: string;
  readonly type = 'counter';
  readonly labelNames: readonly Name[];
  readonly #cells = new Map<string, Cell>();

  constructor(name: string, help: string, labelNames: readonly Name[]) {
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
  }

  /** @param values of the labels, in the order of their names; from closed sets, without a line break */
  add(...values: readonly string[]): void {
    this.addMany(1, ...values);
  }

  /** Like `add`, for what is counted in larger steps, such as tokens. */
  addMany(amount: number, ...values: readonly string[]): void {
    const key = values.join('\n');
    const cell = this.#cells.get(key);
    if (cell) cell.value += amount;
    else this.#begin(key, amount, values);
  }

  #begin(key: string, amount: number, values: readonly string[]): void {
    if (this.#cells.size >= MAX_CELLS) {
      const others = this.labelNames.map(() => OTHER);
      const last = this.#cells.get(others.join('\n'));
      if (last) last.value += amount;
      else this.#cells.set(others.join('\n'), { labels: this.#labelsOf(others), value: amount });
      return;
    }
    this.#cells.set(key, { labels: this.#labelsOf(values), value: amount });
  }

  #labelsOf(values: readonly string[]): Labels {
    return Object.fromEntries(this.labelNames.map((name, index) => [name, values[index] ?? OTHER]));
  }

  samples(): Iterable<Sample> {
    return this.#cells.values();
  }
}

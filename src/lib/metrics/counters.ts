import type { Labels, Metric, Sample } from './metric.ts';

interface Cell {
  readonly labels: Labels;
  value: number;
}

/** The value of a label that stands for those that are not counted one by one. */
export const OTHER = 'other';

/** Label values come from closed sets; this bounds the memory if one is not as closed as it seems. */
const MAX_CELLS = 5_000;

/** A value for each label, in the order of their names. */
type ValuesOf<Names extends readonly string[]> = { readonly [Index in keyof Names]: string };

/** What values of the first labels lead to: those of the next label, or the cell once all have a value. */
type Branch = Map<string, Branch | Cell>;

/**
 * A counter with labels. Finding its cell costs a look-up for each label, whose values are hashed already: prom-client's counters sort
 * and join the labels each time, and a joined text is hashed each time.
 */
export class Counters<const Names extends readonly string[]> implements Metric {
  readonly name: string;
  readonly help: string;
  readonly type = 'counter';
  readonly labelNames: Names;
  readonly #root: Branch = new Map();
  readonly #cells: Cell[] = [];

  constructor(name: string, help: string, labelNames: Names) {
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
  }

  /** @param values of the labels, in the order of their names; from closed sets */
  add(...values: ValuesOf<Names>): void {
    this.#cellOf(values).value += 1;
  }

  /** Like `add`, for what is counted in larger steps, such as tokens. */
  addMany(amount: number, ...values: ValuesOf<Names>): void {
    this.#cellOf(values).value += amount;
  }

  #cellOf(values: readonly string[]): Cell {
    let found: Branch | Cell | undefined = this.#root;
    for (const value of values) {
      found = (found as Branch).get(value);
      if (found === undefined) return this.#begin(values);
    }
    return found as Cell;
  }

  #begin(values: readonly string[]): Cell {
    const others = this.labelNames.map(() => OTHER);
    const isFull = this.#cells.length >= MAX_CELLS;
    return isFull && !values.every((value) => value === OTHER) ? this.#cellOf(others) : this.#insert(values);
  }

  #insert(values: readonly string[]): Cell {
    const cell: Cell = { labels: this.#labelsOf(values), value: 0 };
    this.#cells.push(cell);
    let branch = this.#root;
    for (const [index, value] of values.entries()) {
      if (index === values.length - 1) {
        branch.set(value, cell);
        break;
      }
      let next = branch.get(value) as Branch | undefined;
      if (next === undefined) {
        next = new Map();
        branch.set(value, next);
      }
      branch = next;
    }
    return cell;
  }

  #labelsOf(values: readonly string[]): Labels {
    return Object.fromEntries(this.labelNames.map((name, index) => [name, values[index] ?? OTHER]));
  }

  samples(): Iterable<Sample> {
    return this.#cells;
  }
}

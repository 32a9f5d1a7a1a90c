import type { Pair } from './report.ts';
import type { RequestEnd } from './simulatedEnd.ts';

/** Sums over requests; the cost in micro-dollars. */
export interface PairedSum {
  readonly requests: Pair;
  readonly tokens: Pair;
  readonly cost: Pair;
}

interface Row<Label> {
  readonly label: Label | undefined;
  readonly requests: { recorded: number; simulated: number };
  readonly tokens: { recorded: number; simulated: number };
  readonly cost: { recorded: number; simulated: number };
}

/** Clients choose the names of models; the rest of them share a row. */
const MAX_ROWS = 1_000;
const OTHERS = '\u0000others';

/** Sums of requests, tokens and cost by name, recorded beside simulated. */
export class Sums<Label = undefined> {
  readonly #rows = new Map<string, Row<Label>>();

  /** @param describe what the name stands for; called once for each */
  add(name: string, side: keyof Pair, { usage, costMicroDollars }: RequestEnd, describe: () => Label): void {
    const row = this.#rows.get(name) ?? this.#newRow(name, describe);
    row.requests[side] += 1;
    row.tokens[side] += usage ? usage.inputTokens + usage.outputTokens : 0;
    row.cost[side] += costMicroDollars ?? 0;
  }

  of(name: string): PairedSum | undefined {
    return this.#rows.get(name);
  }

  names(): Iterable<string> {
    return this.#rows.keys();
  }

  /** Those with the most requests first. */
  rows(): readonly (PairedSum & { readonly label: Label | undefined })[] {
    const size = ({ requests }: Row<Label>) => Math.max(requests.recorded, requests.simulated);
    return [...this.#rows]
      .toSorted(([a, first], [b, second]) => size(second) - size(first) || (a < b ? -1 : 1))
      .map(([, row]) => row);
  }

  total(): PairedSum {
    const total = newRow(undefined);
    for (const row of this.#rows.values()) {
      for (const name of ['requests', 'tokens', 'cost'] as const) {
        total[name].recorded += row[name].recorded;
        total[name].simulated += row[name].simulated;
      }
    }
    return total;
  }

  #newRow(name: string, describe: () => Label): Row<Label> {
    const isFull = this.#rows.size >= MAX_ROWS;
    const known = isFull ? this.#rows.get(OTHERS) : undefined;
    if (known) return known;
    const row = newRow<Label>(isFull ? undefined : describe());
    this.#rows.set(isFull ? OTHERS : name, row);
    return row;
  }
}

const newRow = <Label>(label: Label | undefined): Row<Label> => ({
  label,
  requests: { recorded: 0, simulated: 0 },
  tokens: { recorded: 0, simulated: 0 },
  cost: { recorded: 0, simulated: 0 },
});

import type { Instant } from '../../domain/core/brands.ts';
import { MAX_CLOCK_DIFFERENCE_MS } from './limitClock.ts';

/** What an entry of a node's lease says about its clock. */
export interface ClockReading {
  readonly node: string;
  /** What the clock of the node showed when it sent the entry. */
  readonly time: number;
  /** Whether its limits do not follow that clock. */
  readonly isHeld: boolean;
}

/** A node whose clock differs by more than a minute. */
export interface DifferingNode {
  readonly node: string;
  /** How far its clock is ahead of the one of this node; negative when it is behind. */
  readonly byMs: number;
}

interface OtherClock {
  /** The latest differences, as far as `MAX_READINGS`; each is smaller than the real one by the delay of its entry. */
  readonly differencesMs: number[];
  isHeld: boolean;
}

/** How the clock of this node compares with those of others. */
export interface Comparison {
  /** Other nodes that follow their clock, and those that do not, which agree with this node. */
  readonly agreeing: number;
  readonly agreeingHeld: number;
  /** Other nodes that follow their clock and differ. */
  readonly differing: number;
  /** Those of `differing` that are behind this node. */
  readonly behind: number;
  /** All that differ, by name. */
  readonly nodes: readonly DifferingNode[];
}

/** An entry may be late, so a clock is behind only when several entries in a row say so. */
const MAX_READINGS = 3;

/**
 * Compares the clock of this node with those of the other live nodes, by the times in the entries of their leases. An entry
 * arrives after it was sent, so it shows at least how far the other clock is ahead.
 */
export class NodeClocks {
  readonly #now: () => Instant;
  readonly #others = new Map<string, OtherClock>();

  constructor(now: () => Instant) {
    this.#now = now;
  }

  /** Called with each entry of another node, soon after it arrived. */
  onReading({ node, time, isHeld }: ClockReading): void {
    const differenceMs = time - this.#now();
    const other = this.#others.get(node);
    if (!other) {
      this.#others.set(node, { differencesMs: [differenceMs], isHeld });
      return;
    }
    other.isHeld = isHeld;
    other.differencesMs.push(differenceMs);
    if (other.differencesMs.length > MAX_READINGS) other.differencesMs.shift();
  }

  /** The clock of this node jumped: earlier differences mean nothing. */
  clear(): void {
    this.#others.clear();
  }

  /** @param live names of the nodes that are alive */
  compare(live: readonly string[]): Comparison {
    for (const node of this.#others.keys()) if (!live.includes(node)) this.#others.delete(node);
    const result = { agreeing: 0, agreeingHeld: 0, differing: 0, behind: 0, nodes: [] as DifferingNode[] };
    for (const [node, { differencesMs, isHeld }] of this.#others) {
      const byMs = Math.max(...differencesMs);
      if (Math.abs(byMs) <= MAX_CLOCK_DIFFERENCE_MS) {
        if (isHeld) result.agreeingHeld += 1;
        else result.agreeing += 1;
      } else if (byMs > 0 || differencesMs.length === MAX_READINGS) {
        result.nodes.push({ node, byMs });
        if (isHeld) continue;
        result.differing += 1;
        if (byMs < 0) result.behind += 1;
      }
    }
    result.nodes.sort((a, b) => (a.node < b.node ? -1 : 1));
    return result;
  }
}

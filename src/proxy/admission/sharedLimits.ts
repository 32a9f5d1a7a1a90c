import type { Instant } from '../../domain/core/brands.ts';
import { usedAt } from '../../domain/limits/counters.ts';
import type { LimitedLevel, LimitedRequest, LimitHolder } from '../../domain/limits/limitLevel.ts';
import { appliesTo } from '../../domain/limits/limitRule.ts';
import { ceilingOf } from '../../domain/limits/limitTypes.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { levelsOf } from '../../state/fold/limitLevels.ts';

/** The amount on a rule in its window that contains `at`, in the unit of its counter. */
export type AmountOn = (holder: LimitHolder, ruleId: number, at: Instant) => number;

export interface SharedLimitsOptions {
  readonly hot: HotState;
  /** The number of live nodes that share the log, this one included. */
  readonly nodes: () => number;
  /** Whether the log is out of reach, so that shares do not move. */
  readonly isCutOff: () => boolean;
  /** What the requests of this node reserve or have used, beyond the counters. */
  readonly ownOn: AmountOn;
  /** The part of it that the log has announced, so that the other nodes know of it. */
  readonly announcedOn: AmountOn;
  /** What the log has brought of this node so lately that the other nodes may not have read it. */
  readonly recentOn: AmountOn;
  /** What the log has announced of other nodes. */
  readonly foreignOn: AmountOn;
}

/**
 * Keeps several nodes within a limit together, also while they cannot see each other. What a node has reserved becomes known
 * to the others when the log has announced or counted it. Until then each node assumes that every other one has reserved as
 * much as itself that it does not know of. So each stays within its share of the rest, the same for all, and the shares
 * move on with the log (docs/decisions/0062-shared-limits.md).
 */
export class SharedLimits {
  readonly #options: SharedLimitsOptions;

  constructor(options: SharedLimitsOptions) {
    this.#options = options;
  }

  /** The number of live nodes. */
  get nodes(): number {
    return this.#options.nodes();
  }

  /** In how many milliseconds to ask again for a request that only the share of this node refused. */
  get nextShareMs(): number {
    return this.#options.isCutOff() ? 60_000 : 1_000;
  }

  /** What the requests of all nodes reserve as far as this one knows, itself included. */
  readonly knownOn: AmountOn = (holder, ruleId, at) =>
    this.#options.ownOn(holder, ruleId, at) + this.#options.foreignOn(holder, ruleId, at);

  /** What is taken for reserved when a request is admitted: what is known, and as much of each other node as of this one. */
  readonly assumedOn: AmountOn = (holder, ruleId, at) => {
    const others = this.nodes - 1;
    const known = this.knownOn(holder, ruleId, at);
    return others === 0 ? known : known + others * this.#unsharedOn(holder, ruleId, at);
  };

  /**
   * Whether this node has used half of its share of a limit, so that an admitted request has to be announced at once: the
   * others must know of it, and this node gets a share of the rest then.
   * @param level of the request
   * @param at the time by the windows' clock
   */
  isNearShare({ holder, rules }: LimitedLevel, model: string, at: Instant): boolean {
    const { nodes } = this;
    if (nodes === 1) return false;
    const counters = this.#options.hot.counters.get(holder);
    return rules.some((rule) => {
      if (!appliesTo(rule, model)) return false;
      const unshared = this.#unsharedOn(holder, rule.id, at);
      const left = ceilingOf(rule) - usedAt(counters, rule, at) - this.knownOn(holder, rule.id, at) + unshared;
      return 2 * nodes * unshared >= left;
    });
  }

  /** @returns the levels of an admitted request for which `isNearShare` holds */
  holdersNearShare(request: LimitedRequest, model: string, at: Instant): readonly LimitHolder[] {
    if (this.nodes === 1) return NO_HOLDERS;
    const near = levelsOf(this.#options.hot, request).filter((level) => this.isNearShare(level, model, at));
    return near.map(({ holder }) => holder);
  }

  /** What the other nodes may not know of this one: what is open and not announced, and what the log has just brought. */
  #unsharedOn(holder: LimitHolder, ruleId: number, at: Instant): number {
    const { ownOn, announcedOn, recentOn } = this.#options;
    return ownOn(holder, ruleId, at) - announcedOn(holder, ruleId, at) + recentOn(holder, ruleId, at);
  }
}

const NO_HOLDERS: readonly LimitHolder[] = [];

import type { Instant } from '../core/brands.ts';
import { admit, type PerRule, type Verdict } from './admit.ts';
import type { KeyCounters } from './counters.ts';
import type { LimitedLevel, LimitHolder } from './limitLevel.ts';
import type { Consumption } from './limitTypes.ts';

export interface AdmitLevelsInput {
  /** The levels that have limits, in the order of `limitLevels`. */
  readonly levels: readonly LimitedLevel[];
  readonly model: string;
  /** From the hot state. */
  readonly countersOf: (holder: LimitHolder) => KeyCounters | undefined;
  /** From the overlay: what open requests have reserved on a rule, in the rule's unit. */
  readonly reservedOn: (holder: LimitHolder, ruleId: number) => number;
  readonly estimate: Consumption;
  /** By the windows' clock (`windowsTime`). */
  readonly now: Instant;
}

/** The amounts of a request on the rules of one level. */
export interface LevelAmounts {
  readonly level: LimitedLevel;
  readonly amounts: PerRule;
}

type Refused = Extract<Verdict, { kind: 'refused' }>;

export type LevelsVerdict =
  | {
      readonly kind: 'admitted';
      readonly reservations: readonly LevelAmounts[];
      readonly alreadyReserved: readonly LevelAmounts[];
    }
  | (Omit<Refused, 'alreadyReserved'> & {
      /** The level whose limit is used up. */
      readonly level: LimitedLevel;
      readonly alreadyReserved: readonly LevelAmounts[];
    });

/**
 * Admits a request when every level admits it (docs/decisions/0085-limits-of-owners-and-teams.md). A refusal names the first
 * level that is used up, and has the reservations on the rules of all levels.
 */
export function admitLevels({ levels, model, countersOf, reservedOn, estimate, now }: AdmitLevelsInput): LevelsVerdict {
  const reservations: LevelAmounts[] = [];
  const alreadyReserved: LevelAmounts[] = [];
  let refused: (Refused & { readonly level: LimitedLevel }) | undefined;
  for (const level of levels) {
    const { holder, rules } = level;
    // Spelled out instead of spread, because this runs for every request with limits.
    const verdict = admit({
      rules,
      model,
      counters: countersOf(holder),
      reservedOn: (ruleId) => reservedOn(holder, ruleId),
      estimate,
      now,
    });
    alreadyReserved.push({ level, amounts: verdict.alreadyReserved });
    if (verdict.kind === 'admitted') reservations.push({ level, amounts: verdict.reservations });
    else refused ??= { ...verdict, level };
  }
  return refused ? { ...refused, alreadyReserved } : { kind: 'admitted', reservations, alreadyReserved };
}

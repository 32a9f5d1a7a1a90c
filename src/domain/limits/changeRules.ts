import type { Instant } from '../core/brands.ts';
import { isModelKept, MAX_LIMITS, MAX_MODEL_BYTES, shortenedRules } from './bounds.ts';
import type { LimitRule, OnExceeded } from './limitRule.ts';
import type { LimitType } from './limitTypes.ts';
import type { LimitWindow } from './limitWindows.ts';

export interface LimitRuleInput {
  readonly limitType: LimitType;
  readonly limitWindow: LimitWindow;
  readonly maxValue: number;
  readonly modelFilter: string | null;
  /** By default an existing rule keeps its own, and a new one finishes streams. */
  readonly onExceeded?: OnExceeded | undefined;
}

/** The rules of a key, an owner or a team, and the id of its next one. */
export interface Limited {
  readonly rules: readonly LimitRule[];
  /** Ids of rules are never reused, so that no rule inherits the counter of another. */
  readonly nextRuleId: number;
}

/** Refuses a list of limits. Called with what is wrong in which field, in the words of the API. */
export type RefuseRules = (details: { readonly param: string; readonly problem: string }) => never;

/** What an event records of a change of limits. @returns undefined when nothing changes */
export function rulesChange(
  { rules, nextRuleId }: Limited,
  wanted: readonly LimitRuleInput[],
  windowsNow: Instant,
  refuse: RefuseRules,
): { from: LimitRule[]; to: LimitRule[] } | undefined {
  const to = mergeRules(rules, wanted, nextRuleId, windowsNow, refuse);
  return JSON.stringify(rules) === JSON.stringify(to) ? undefined : { from: shortenedRules(rules), to };
}

/** The rules after a change. */
export const withRules = ({ nextRuleId }: Pick<Limited, 'nextRuleId'>, rules: readonly LimitRule[]): Limited => ({
  rules,
  nextRuleId: Math.max(nextRuleId, ...rules.map((rule) => rule.id + 1)),
});

/** Type, window and model identify a rule: only its `maxValue` and `onExceeded` can change. */
export function mergeRules(
  existing: readonly LimitRule[],
  wanted: readonly LimitRuleInput[],
  firstFreeId: number,
  windowsNow: Instant,
  refuse: RefuseRules,
): LimitRule[] {
  if (wanted.length > MAX_LIMITS) refuse({ param: 'limits', problem: `must have at most ${MAX_LIMITS} entries` });
  let nextId = firstFreeId;
  const known = new Map(existing.map((rule) => [identityOf(rule), rule]));
  const seen = new Set<string>();
  return wanted.map((input, index) => {
    const modelFilter = input.modelFilter?.trim() || null;
    if (modelFilter !== null && !isModelKept(modelFilter)) {
      refuse({ param: `limits.${index}.model_filter`, problem: `must be at most ${MAX_MODEL_BYTES} bytes long` });
    }
    const identity = identityOf({ ...input, modelFilter });
    if (seen.has(identity)) {
      refuse({
        param: `limits.${index}`,
        problem: 'repeats a rule: type, window and model_filter together must be unique',
      });
    }
    seen.add(identity);
    if (!Number.isSafeInteger(input.maxValue) || input.maxValue < 1) {
      refuse({
        param: `limits.${index}.max_value`,
        problem: 'must be a whole number of at least 1',
      });
    }
    const same = known.get(identity);
    const { limitType, limitWindow, maxValue, onExceeded = same?.onExceeded ?? 'finish' } = input;
    if (same) return { ...same, maxValue, onExceeded };
    return { id: nextId++, limitType, limitWindow, maxValue, modelFilter, createdAt: windowsNow, onExceeded };
  });
}

const identityOf = ({ limitType, limitWindow, modelFilter }: LimitRuleInput) =>
  JSON.stringify([limitType, limitWindow, modelFilter]);

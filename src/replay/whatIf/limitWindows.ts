import type { ApiKeyId, Instant } from '../../domain/core/brands.ts';
import { usedAt } from '../../domain/limits/counters.ts';
import { appliesTo, type LimitRule } from '../../domain/limits/limitRule.ts';
import { limitTypes } from '../../domain/limits/limitTypes.ts';
import { windowIndexAt } from '../../domain/limits/limitWindows.ts';
import { countedAt, type WindowsClock } from '../../domain/limits/windowsClock.ts';
import type { LimitFolds } from '../../state/fold/limitFolds.ts';
import { limitSubjectsOf } from './limitSubjects.ts';
import type { Pair, WhatIfReport } from './report.ts';
import type { EndedEvent, RefusingRule } from './simulatedEnd.ts';

type Folds = Pick<LimitFolds, 'apiKeys' | 'owners' | 'teams' | 'counters'> & { readonly windowsClock: WindowsClock };

interface Used {
  rule: LimitRule;
  windows: number;
  lastWindow: number;
  most: number;
}

interface Row {
  readonly level: string;
  readonly subject: string;
  readonly ruleId: number;
  recorded: Used | undefined;
  simulated: Used | undefined;
}

/** Rules in the report. */
const MAX_ROWS = 5_000;

/** What was used of limits, in the recording and in the simulation. */
export class LimitWindows {
  readonly #folds: { readonly [Side in keyof Pair]: Folds };
  readonly #rows = new Map<string, Row>();

  constructor(recorded: Folds, simulated: Folds) {
    this.#folds = { recorded, simulated };
  }

  /** Called when both states have counted the request. */
  onRequest({ data }: EndedEvent, _time: Instant): void {
    for (const side of ['recorded', 'simulated'] as const) {
      const folds = this.#folds[side];
      for (const { level, id, rules, counters } of limitSubjectsOf(folds, data)) {
        for (const rule of rules) {
          if (!appliesTo(rule, data.model)) continue;
          const at = countedAt(folds.windowsClock, data);
          this.#onUsed(
            side,
            { level, subject: id, ruleId: rule.id },
            rule,
            windowIndexAt(rule, at),
            usedAt(counters, rule, at),
          );
        }
      }
    }
  }

  /** A rule in words; null when neither state has it. */
  describe({ subject, ruleId, level }: RefusingRule): string | null {
    for (const side of ['simulated', 'recorded'] as const) {
      const subjects = limitSubjectsOf(this.#folds[side], {
        keyId: level === 'key' ? (subject as ApiKeyId) : null,
        ...(level === 'owner' && { owner: subject }),
        ...(level === 'team' && { team: subject }),
      });
      const rule = subjects.find((each) => each.level === level)?.rules.find(({ id }) => id === ruleId);
      if (rule) return describeRule(rule);
    }
    return null;
  }

  rows(): WhatIfReport['limits'] {
    return [...this.#rows.values()].map(({ level, subject, ruleId, recorded, simulated }) => {
      const rule = (simulated ?? recorded)?.rule as LimitRule;
      const { amountsPerUnit } = limitTypes[rule.limitType];
      return {
        level,
        subject,
        rule_id: ruleId,
        limit_type: rule.limitType,
        limit_window: rule.limitWindow,
        model_filter: rule.modelFilter,
        max_value: { recorded: recorded?.rule.maxValue ?? null, simulated: simulated?.rule.maxValue ?? null },
        windows: { recorded: recorded?.windows ?? 0, simulated: simulated?.windows ?? 0 },
        most_used: {
          recorded: (recorded?.most ?? 0) / amountsPerUnit,
          simulated: (simulated?.most ?? 0) / amountsPerUnit,
        },
      };
    });
  }

  #onUsed(
    side: keyof Pair,
    { level, subject, ruleId }: RefusingRule,
    rule: LimitRule,
    window: number,
    used: number,
  ): void {
    const name = `${level} ${subject} ${ruleId}`;
    let row = this.#rows.get(name);
    if (!row) {
      if (this.#rows.size >= MAX_ROWS) return;
      row = { level, subject, ruleId, recorded: undefined, simulated: undefined };
      this.#rows.set(name, row);
    }
    row[side] ??= { rule, windows: 0, lastWindow: Number.NEGATIVE_INFINITY, most: 0 };
    const known = row[side];
    known.rule = rule;
    known.most = Math.max(known.most, used);
    if (used > 0 && window > known.lastWindow) {
      known.windows += 1;
      known.lastWindow = window;
    }
  }
}

const describeRule = ({ limitType, limitWindow, maxValue, modelFilter }: LimitRule): string =>
  `${maxValue} ${limitType} ${limitWindow}${modelFilter === null ? '' : ` on ${modelFilter}`}`;

import { z } from 'zod';
import { type Instant, iso } from '../../../domain/core/brands.ts';
import { type KeyCounters, usedAt } from '../../../domain/limits/counters.ts';
import { holdersOf, type LimitHolder } from '../../../domain/limits/limitLevel.ts';
import {
  type LimitRule,
  limitTypeSchema,
  limitWindowSchema,
  onExceededSchema,
} from '../../../domain/limits/limitRule.ts';
import { limitTypes } from '../../../domain/limits/limitTypes.ts';
import { windowAt } from '../../../domain/limits/limitWindows.ts';
import type { HotState } from '../../../state/fold/hotState.ts';
import { reservedByOpen } from '../../../state/fold/openReservations.ts';
import type { OpenRequest } from '../../../state/fold/requestFolds.ts';
import type { View } from '../../http/views.ts';
import { reservedFields } from './reservedFields.ts';

export const Limit = z
  .object({
    id: z.int(),
    limit_type: limitTypeSchema(z),
    limit_window: limitWindowSchema(z),
    max_value: z.int(),
    model_filter: z.string().nullable(),
    on_exceeded: onExceededSchema(z),
    reset_at: z.iso.datetime(),
    current_value: z.int(),
    reserved_value: z
      .int()
      .describe('What requests that are open for two seconds or longer have reserved, in addition to `current_value`'),
    current_cost_usd: z.number().optional(),
    reserved_cost_usd: z.number().optional(),
  })
  .meta({ id: 'LimitRule' });

/** Requests that were announced and have not ended, by whose limits they count against. */
export type OpenByHolder = ReadonlyMap<LimitHolder, readonly OpenRequest[]>;

export function openByHolder({ openRequests }: Pick<HotState, 'openRequests'>): OpenByHolder {
  const byHolder = new Map<LimitHolder, OpenRequest[]>();
  for (const request of openRequests.values()) {
    for (const holder of holdersOf(request.data)) {
      const open = byHolder.get(holder);
      if (open) open.push(request);
      else byHolder.set(holder, [request]);
    }
  }
  return byHolder;
}

/** The limits of a key, an owner or a team with their usage. */
export function limitEntries(
  holder: LimitHolder,
  rules: readonly LimitRule[],
  { state, windowsNow }: View,
  open: OpenByHolder,
): z.infer<typeof Limit>[] {
  const counters = state.counters.get(holder);
  return rules.map((rule) => {
    const reserved = reservedByOpen(open.get(holder) ?? [], rule, state.windowsClock, windowsNow);
    return limitEntry(rule, counters, reserved, windowsNow);
  });
}

/**
 * `reserved_value` is what open requests have reserved in addition to `current_value`, once the log has them
 * (docs/decisions/0027-open-requests-are-announced.md). Costs are counted in micro-dollars: a `cost_usd` rule shows them in
 * whole dollars, and exactly in `..._cost_usd` (docs/decisions/0025-limit-windows-and-units.md).
 */
function limitEntry(rule: LimitRule, counters: KeyCounters | undefined, reserved: number, windowsNow: Instant) {
  const used = usedAt(counters, rule, windowsNow);
  const { amountsPerUnit } = limitTypes[rule.limitType];
  const entry = {
    id: rule.id,
    limit_type: rule.limitType,
    limit_window: rule.limitWindow,
    max_value: rule.maxValue,
    model_filter: rule.modelFilter,
    on_exceeded: rule.onExceeded,
    reset_at: iso(windowAt(rule, windowsNow).resetAt),
    current_value: Math.floor(used / amountsPerUnit),
    ...reservedFields(rule, reserved),
  };
  return rule.limitType === 'cost_usd' ? { ...entry, current_cost_usd: used / amountsPerUnit } : entry;
}

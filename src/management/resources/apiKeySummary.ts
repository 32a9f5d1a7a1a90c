import { z } from 'zod';
import { type LimitRule, limitTypeSchema, limitWindowSchema } from '../../domain/apiKey/events.ts';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import { type Instant, iso } from '../../domain/core/brands.ts';
import { type KeyCounters, usedAt } from '../../domain/limits/counters.ts';
import { windowAt } from '../../domain/limits/window.ts';
import type { View } from '../http/asOf.ts';

const Limit = z
  .object({
    id: z.int(),
    limit_type: limitTypeSchema(z),
    limit_window: limitWindowSchema(z),
    max_value: z.int(),
    model_filter: z.string().nullable(),
    reset_at: z.iso.datetime(),
    current_value: z.int(),
    reserved_value: z.int(),
    current_cost_usd: z.number().optional(),
    reserved_cost_usd: z.number().optional(),
  })
  .meta({ id: 'LimitRule' });

export const ApiKeyAnswer = z
  .object({
    id: z.uuid(),
    name: z.string(),
    key_prefix: z.string(),
    allowed_models: z.array(z.string()).nullable(),
    expires_at: z.iso.datetime().nullable(),
    is_active: z.boolean(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
    limits: z.array(Limit),
  })
  .meta({ id: 'ApiKey' });

/** A key as clients see it, never with its value. */
export function apiKeySummary(key: ApiKey, { hot, now, reservedOn = () => 0 }: View) {
  const counters = hot.state.counters.get(key.id);
  const at = now();
  return {
    id: key.id,
    name: key.name,
    key_prefix: key.prefix,
    allowed_models: key.allowedModels,
    expires_at: key.expiresAt === null ? null : iso(key.expiresAt),
    is_active: key.isActive,
    created_at: iso(key.createdAt),
    last_used_at: counters?.lastUsedAt ? iso(counters.lastUsedAt) : null,
    limits: key.rules.map((rule) => limit(rule, counters, reservedOn(key.id, rule.id, at), at)),
  };
}

/**
 * `reserved_value` is what requests under way hold beyond `current_value`. Costs are counted in micro-dollars: the
 * values of a `cost_usd` rule are whole dollars, and `..._cost_usd` says them exactly.
 */
function limit(rule: LimitRule, counters: KeyCounters | undefined, reserved: number, now: Instant) {
  const used = usedAt(counters, rule, now);
  const common = {
    id: rule.id,
    limit_type: rule.limitType,
    limit_window: rule.limitWindow,
    max_value: rule.maxValue,
    model_filter: rule.modelFilter,
    reset_at: iso(windowAt(rule, now).resetAt),
  };
  if (rule.limitType !== 'cost_usd') return { ...common, current_value: used, reserved_value: reserved };
  return {
    ...common,
    current_value: Math.floor(used / 1_000_000),
    reserved_value: Math.floor(reserved / 1_000_000),
    current_cost_usd: used / 1_000_000,
    reserved_cost_usd: reserved / 1_000_000,
  };
}

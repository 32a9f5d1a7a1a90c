import type { Schemas } from '#lib/api/client.ts';
import { compact, dollars } from '#lib/format/numbers.ts';
import { type Pace, paceOf } from '#lib/format/pace.ts';

export type Key = Schemas['ApiKey'];
export type Limit = Schemas['LimitRule'];
export type LimitType = Limit['limit_type'];
export type LimitWindow = Limit['limit_window'];
export type OnExceeded = Limit['on_exceeded'];

/** Label in a form, and unit behind an amount. */
const TYPES: Record<LimitType, { label: string; unit: string }> = {
  total_tokens: { label: 'total tokens', unit: 'tokens' },
  input_tokens: { label: 'input tokens', unit: 'input tokens' },
  output_tokens: { label: 'output tokens', unit: 'output tokens' },
  cost_usd: { label: 'US dollars', unit: '' },
};
const PERIODS: Record<LimitWindow, string> = { daily: 'day', weekly: 'week', monthly: 'month' };

export const LIMIT_TYPES = (Object.keys(TYPES) as LimitType[]).map((value) => ({ value, label: TYPES[value].label }));
export const LIMIT_WINDOWS = (Object.keys(PERIODS) as LimitWindow[]).map((value) => ({
  value,
  label: `a ${PERIODS[value]}`,
}));

/** What happens to a stream that runs past a limit. */
export const ON_EXCEEDED: readonly { value: OnExceeded; label: string }[] = [
  { value: 'finish', label: 'finish streams' },
  { value: 'stop', label: 'stop streams' },
];

const amount = ({ limit_type }: Pick<Limit, 'limit_type'>, value: number, number = compact) =>
  limit_type === 'cost_usd' ? dollars(value) : `${number(value)} ${TYPES[limit_type].unit}`;

/**
 * "4,000 tokens a day", "$50.00 a month on gpt-5.5, stops streams"
 * @param number formats the number of tokens
 */
export const limitText = (
  limit: Pick<Limit, 'limit_type' | 'limit_window' | 'max_value' | 'model_filter' | 'on_exceeded'>,
  number: (value: number) => string = compact,
): string =>
  `${amount(limit, limit.max_value, number)} ${periodText(limit)}${limit.on_exceeded === 'stop' ? ', stops streams' : ''}`;

/** "a day", "a month on gpt-5.5" */
export const periodText = ({ limit_window, model_filter }: Pick<Limit, 'limit_window' | 'model_filter'>): string =>
  `a ${PERIODS[limit_window]}${model_filter ? ` on ${model_filter}` : ''}`;

export interface LimitUse {
  /** Percent of the maximum; can exceed 100. */
  readonly usedPercent: number;
  /** Percent reserved by open requests. */
  readonly reservedPercent: number;
  /** "1,200 of 4,000 tokens" */
  readonly text: string;
  /** Amount reserved by open requests; undefined when there is none. */
  readonly reservedText: string | undefined;
  readonly isReached: boolean;
}

/** Usage of a limit. Costs come from the exact fields where the API has them. */
export function useOf(limit: Limit): LimitUse {
  const used = limit.current_cost_usd ?? limit.current_value;
  const reserved = limit.reserved_cost_usd ?? limit.reserved_value;
  const plain = limit.limit_type === 'cost_usd' ? dollars : compact;
  return {
    usedPercent: (used / limit.max_value) * 100,
    reservedPercent: (reserved / limit.max_value) * 100,
    text: `${plain(used)} of ${amount(limit, limit.max_value)}`,
    reservedText: reserved > 0 ? amount(limit, reserved) : undefined,
    isReached: used + reserved >= limit.max_value,
  };
}

/** Whether a limit lasts until its reset. @param now in ms since 1970 */
export function paceOfLimit(limit: Limit, now: number): Pace | undefined {
  const resetAt = Date.parse(limit.reset_at);
  const started = new Date(resetAt);
  if (limit.limit_window === 'monthly') started.setUTCMonth(started.getUTCMonth() - 1);
  else started.setUTCDate(started.getUTCDate() - (limit.limit_window === 'weekly' ? 7 : 1));
  return paceOf({ usedPercent: useOf(limit).usedPercent, startedAt: started.getTime(), resetAt }, now);
}

export interface KeyStatus {
  readonly tone: 'good' | 'warn' | 'bad' | 'neutral';
  readonly label: string;
}

const NEAR_PERCENT = 80;

/** Whether requests with this key are accepted, and otherwise why not. */
export function keyStatusOf(key: Key, now: number): KeyStatus {
  if (!key.is_active) return { tone: 'neutral', label: 'Inactive' };
  if (key.expires_at !== null && Date.parse(key.expires_at) <= now) return { tone: 'bad', label: 'Expired' };
  const uses = key.limits.map(useOf);
  if (uses.some(({ isReached }) => isReached)) return { tone: 'bad', label: 'Limit reached' };
  if (uses.some(({ usedPercent }) => usedPercent >= NEAR_PERCENT)) return { tone: 'warn', label: 'Near its limit' };
  return { tone: 'good', label: 'Active' };
}

/** Whether the text is in the name, the prefix, the id, the owner or the name of the team. */
export const keyMatches = ({ name, key_prefix, id, owner }: Key, search: string, team?: string): boolean =>
  [name, key_prefix, id, owner, team].some((text) => text?.toLowerCase().includes(search.trim().toLowerCase()));

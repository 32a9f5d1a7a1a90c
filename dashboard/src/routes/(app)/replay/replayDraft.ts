import type { paths } from '#lib/api/openapi.d.ts';
import { ANY_TIME, boundsOf, type TimeRange } from '#lib/filters/timeRange.ts';
import { type LimitDraft, limitBodies, limitProblems, type Problems } from '../api-keys/limitDraft.ts';

export type ReplayBody = NonNullable<paths['/api/replays']['post']['requestBody']>['content']['application/json'];

/** The form: a period, and what is different in it. */
export interface ReplayDraft {
  range: TimeRange;
  strategy: 'recorded' | 'usage_weighted' | 'round_robin';
  sticky: 'recorded' | 'on' | 'off';
  earlierReset: 'recorded' | 'on' | 'off';
  without: string[];
  /** Plans of accounts that join the pool. */
  plus: string[];
  /** `recorded`, `*` for every key, or the id of a key. */
  limitsOf: string;
  limits: LimitDraft[];
  /** The text of a file with prices; empty: as recorded. */
  prices: string;
}

export const newReplayDraft = (): ReplayDraft => ({
  range: { ...ANY_TIME, last: '24h' },
  strategy: 'recorded',
  sticky: 'recorded',
  earlierReset: 'recorded',
  without: [],
  plus: [],
  limitsOf: 'recorded',
  limits: [],
  prices: '',
});

export const PLANS = ['plus', 'pro', 'team', 'business', 'enterprise', 'edu', 'free'] as const;

/** Error messages by field, those of limits as in the form of a key. */
export function problemsOf({ limits, limitsOf, prices }: ReplayDraft): Problems {
  const ofLimits = limitsOf === 'recorded' ? {} : limitProblems(limits);
  return { ...ofLimits, ...(prices !== '' && parsed(prices) === undefined && { prices: 'This is not JSON.' }) };
}

/** @param draft one without problems */
export function replayBody(draft: ReplayDraft, now: number): ReplayBody {
  const { range, strategy, sticky, earlierReset, without, plus, limitsOf, limits, prices } = draft;
  const { since = null, until = null } = boundsOf(range, now);
  const settings = {
    ...(sticky !== 'recorded' && { sticky_threads_enabled: sticky === 'on' }),
    ...(earlierReset !== 'recorded' && { prefer_earlier_reset_accounts: earlierReset === 'on' }),
  };
  const what_if = {
    ...(strategy !== 'recorded' && { strategy }),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(limitsOf !== 'recorded' && {
      limits: { keys: { [limitsOf]: limitBodies(limits) } },
    }),
    ...(prices !== '' && { prices: parsed(prices) }),
    ...(without.length > 0 && { without_accounts: without }),
    ...(plus.length > 0 && { plus_accounts: plus.map((plan_type) => ({ plan_type })) }),
  };
  return { since, until, ...(Object.keys(what_if).length > 0 && { what_if }) } as ReplayBody;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import type { Instant } from '../../domain/core/brands.ts';
import { usedAt } from '../../domain/limits/counters.ts';
import { type LimitedLevel, limitLevels } from '../../domain/limits/limitLevel.ts';
import { gauge, type Metric } from '../../lib/metrics/metric.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { allLevels } from '../../state/fold/limitLevels.ts';

export interface LimitMetricsOptions {
  readonly hot: Pick<HotState, 'apiKeys' | 'owners' | 'teams' | 'counters'>;
  /** The time of limit windows. */
  readonly windowsNow: () => Instant;
}

const NEAR = 0.8;
/** Series of single keys; the counts include all. */
const MAX_KEYS = 100;

interface UsedLevel extends Pick<LimitedLevel, 'level' | 'subject'> {
  /** Of the limit that is used most, from 0. */
  readonly used: number;
}

/**
 * Who is near a limit. Owners and teams are only counted, because the name of an owner may be an e-mail address; single keys have
 * their id.
 */
export function limitMetrics({ hot, windowsNow }: LimitMetricsOptions): readonly Metric[] {
  const nearLimits = (): UsedLevel[] => {
    const now = windowsNow();
    return allLevels(hot)
      .map((level) => ({ level: level.level, subject: level.subject, used: usedOf(level, hot, now) }))
      .filter(({ used }) => used >= NEAR)
      .toArray();
  };
  return [
    gauge(
      'svc_limits_near',
      'Keys, owners and teams that have used at least this part of one of their limits, in percent.',
      ['level', 'percent'],
      () => {
        const near = nearLimits();
        return limitLevels.flatMap((level) =>
          [80, 100].map((percent) => ({
            labels: { level, percent: String(percent) },
            value: near.filter((one) => one.level === level && one.used * 100 >= percent).length,
          })),
        );
      },
    ),
    gauge(
      'svc_key_limit_used_ratio',
      `The used part of the limit of an API key that is used most, for keys from ${NEAR} on, at most ${MAX_KEYS} of them.`,
      ['key'],
      () =>
        nearLimits()
          .filter(({ level }) => level === 'key')
          .sort((left, right) => right.used - left.used)
          .slice(0, MAX_KEYS)
          .map(({ subject, used }) => ({ labels: { key: subject }, value: used })),
    ),
  ];
}

function usedOf({ holder, rules }: LimitedLevel, { counters }: LimitMetricsOptions['hot'], now: Instant): number {
  const counted = counters.get(holder);
  return rules.reduce((most, rule) => Math.max(most, usedAt(counted, rule, now) / rule.maxValue), 0);
}

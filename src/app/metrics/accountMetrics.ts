import { healthOf } from '../../domain/accountHealth/healthOf.ts';
import type { CoolDowns } from '../../domain/coolDown/state.ts';
import type { Instant } from '../../domain/core/brands.ts';
import { availabilityOf } from '../../domain/routing/availability.ts';
import { gauge, type Metric } from '../../lib/metrics/metric.ts';
import type { HotState } from '../../state/fold/hotState.ts';

export interface AccountMetricsOptions {
  readonly hot: Pick<HotState, 'accounts' | 'usage' | 'health'>;
  readonly coolDowns: CoolDowns;
  readonly now: () => Instant;
}

const STATES = ['available', 'paused', 'deactivated', 'rate_limited', 'quota_exceeded', 'cooling'] as const;
const WINDOWS = ['primary', 'secondary'] as const;

/** The pool: how many accounts serve, and of each by its id the unused part of its windows and how often it fails. */
export function accountMetrics({ hot, coolDowns, now }: AccountMetricsOptions): readonly Metric[] {
  return [
    gauge('svc_accounts', 'Accounts by whether they can serve now.', ['state'], () => {
      const counts = new Map<string, number>(STATES.map((state) => [state, 0]));
      for (const account of hot.accounts.values()) {
        const { state } = availabilityOf(account, hot.usage.get(account.id), coolDowns.get(account.id), now());
        counts.set(state, (counts.get(state) ?? 0) + 1);
      }
      return Array.from(counts, ([state, value]) => ({ labels: { state }, value }));
    }),
    gauge(
      'svc_account_window_left_ratio',
      'The part of a usage window of an account that is left, from 0 to 1, as the provider last reported it.',
      ['account', 'window'],
      () =>
        [...hot.accounts.keys()].flatMap((account) =>
          WINDOWS.flatMap((window) => {
            const reported = hot.usage.get(account)?.sample?.[window];
            if (!reported) return [];
            const isOver = reported.resetAt !== null && reported.resetAt <= now();
            const value = isOver ? 1 : Math.max(0, 100 - reported.usedPercent) / 100;
            return [{ labels: { account, window }, value }];
          }),
        ),
    ),
    gauge(
      'svc_account_failure_ratio',
      'The part of the recent attempts with an account that failed, from 0 to 1; absent without one in the last hour.',
      ['account'],
      () =>
        [...hot.accounts.keys()].flatMap((account) => {
          const { attempts, failures } = healthOf(hot.health.get(account), now());
          return attempts === 0 ? [] : [{ labels: { account }, value: failures / attempts }];
        }),
    ),
  ];
}

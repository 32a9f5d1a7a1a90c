import type { AccountUsage } from '../../domain/accountUsage/state.ts';
import type { AccountId, ApiKeyId, Instant } from '../../domain/core/brands.ts';
import { iso } from '../../domain/core/brands.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { LimitWindows } from './limitWindows.ts';
import { notKnown } from './notKnown.ts';
import type { ReportedEnd, WhatIfReport } from './report.ts';
import { type EndedEvent, isSameEnd, type RefusingRule, type RequestEnd } from './simulatedEnd.ts';
import type { SimulatedState } from './simulatedState.ts';
import { type PairedSum, Sums } from './sums.ts';
import { TimeSeries } from './timeSeries.ts';
import type { WhatIf } from './whatIf.ts';

const MAX_POINTS = 240;
/** Requests that are named; all of them are counted. */
const MAX_DIFFERENT_REQUESTS = 200;
const NONE = { recorded: 0, simulated: 0 };

type Peak = { recorded: number | null; simulated: number | null };

/** Adds up what the recording and the simulation did with the same requests. Its size does not grow with their number. */
export class Comparison {
  readonly #recorded: HotState;
  readonly #state: SimulatedState;
  readonly #whatIf: WhatIf;
  readonly #counts = { compared: 0, different: 0, notSimulated: 0 };
  readonly #assumed = { answers: 0, estimates: 0, unknown: 0, withoutConversation: 0 };
  readonly #outcomes = new Sums();
  readonly #accounts = new Sums();
  readonly #plans = new Map<string, string>();
  readonly #peaks = new Map<string, { primary: Peak; secondary: Peak }>();
  readonly #refusals = new Sums<{ reason: string; rule: RefusingRule | null; words: string | null }>();
  readonly #costs = new Sums<{ keyId: string | null; name: string | null; model: string }>();
  readonly #limits: LimitWindows;
  readonly #series = new TimeSeries(
    [
      'recorded.served',
      'recorded.failed',
      'recorded.refused',
      'recorded.cost',
      'simulated.served',
      'simulated.failed',
      'simulated.refused',
      'simulated.cost',
    ],
    MAX_POINTS,
  );
  readonly #different: WhatIfReport['different_requests'][number][] = [];

  constructor(recorded: HotState, state: SimulatedState, whatIf: WhatIf) {
    this.#recorded = recorded;
    this.#state = state;
    this.#whatIf = whatIf;
    this.#limits = new LimitWindows(recorded, state);
    for (const id of new Set([...recorded.accounts.keys(), ...state.accounts.keys()])) this.onUsage(id);
  }

  /** Called when a request of the period was decided before the state that the simulation began with. */
  onNotSimulated(): void {
    this.#counts.notSimulated += 1;
  }

  /** Called when the usage of an account may have changed, in the recording or in the simulation. */
  onUsage(id: AccountId): void {
    const account = this.#recorded.accounts.get(id) ?? this.#state.accounts.get(id);
    if (account) this.#plans.set(id, account.planType);
    let peak = this.#peaks.get(id);
    if (!peak) {
      peak = { primary: { recorded: null, simulated: null }, secondary: { recorded: null, simulated: null } };
      this.#peaks.set(id, peak);
    }
    raise(peak, 'recorded', this.#recorded.usage.get(id));
    raise(peak, 'simulated', this.#state.usage.get(id));
  }

  /** Called when a request of the period has ended in both. */
  onRequest(event: EndedEvent, recorded: RequestEnd, simulated: RequestEnd, time: Instant): void {
    const { keyId, model, requestedAt } = event.data;
    this.#counts.compared += 1;
    for (const [side, end] of [
      ['recorded', recorded],
      ['simulated', simulated],
    ] as const) {
      const { kind, accountId, reason, rule } = end;
      this.#outcomes.add(kind, side, end, () => undefined);
      if (accountId !== null) {
        this.#accounts.add(accountId, side, end, () => undefined);
        const account = this.#recorded.accounts.get(accountId) ?? this.#state.accounts.get(accountId);
        if (account) this.#plans.set(accountId, account.planType);
      }
      this.#costs.add(`${keyId} ${model}`, side, end, () => ({ keyId, name: this.#keyName(keyId), model }));
      if (kind === 'refused') {
        const name = rule ? `${rule.level} ${rule.subject} ${rule.ruleId}` : (reason ?? '');
        const describe = () => ({ reason: reason ?? '', rule, words: rule && this.#limits.describe(rule) });
        this.#refusals.add(name, side, end, describe);
      }
      this.#series.add(requestedAt, { [`${side}.${kind}`]: 1, [`${side}.cost`]: end.costMicroDollars ?? 0 });
    }
    this.#limits.onRequest(event, time);
    if (simulated.isAnswerAssumed) this.#assumed.answers += 1;
    if (simulated.assumedUsage === 'estimate') this.#assumed.estimates += 1;
    if (simulated.assumedUsage === 'unknown') this.#assumed.unknown += 1;
    if (this.#isConversationUnknown(event, simulated)) this.#assumed.withoutConversation += 1;
    if (isSameEnd(recorded, simulated)) return;
    this.#counts.different += 1;
    if (this.#different.length < MAX_DIFFERENT_REQUESTS)
      this.#different.push({
        request_id: event.data.requestId,
        position: event.position,
        requested_at: iso(requestedAt),
        recorded: reported(recorded),
        simulated: reported(simulated),
      });
  }

  #keyName(keyId: ApiKeyId | null): string | null {
    return (keyId !== null && this.#recorded.apiKeys.get(keyId)?.name) || null;
  }

  /** The log names the conversation of a request only if sticky threads were on and it was not refused. */
  #isConversationUnknown({ type, data }: EndedEvent, { kind }: RequestEnd): boolean {
    if (kind === 'refused' || !this.#state.settings.stickyThreadsEnabled) return false;
    return type === 'RequestRefused' || (this.#whatIf.settings?.stickyThreadsEnabled === true && !data.pin);
  }

  /** @param countedOnly refusals of the period of which the log has only the number */
  report(countedOnly: number): WhatIfReport {
    const { compared, different, notSimulated } = this.#counts;
    const kind = (name: string) => this.#outcomes.of(name)?.requests ?? NONE;
    const total = this.#outcomes.total();
    return {
      changes: changesOf(this.#whatIf),
      requests: { compared, same: compared - different, different, not_simulated: notSimulated },
      outcomes: { served: kind('served'), failed: kind('failed'), refused: kind('refused') },
      tokens: total.tokens,
      cost_usd: dollars(total.cost),
      accounts: this.#accountRows(),
      refusals: this.#refusals.rows().map(({ label, requests }) => ({
        reason: label?.reason ?? 'other',
        level: label?.rule?.level ?? null,
        subject: label?.rule?.subject ?? null,
        rule_id: label?.rule?.ruleId ?? null,
        rule: label?.words ?? null,
        requests,
      })),
      limits: this.#limits.rows(),
      costs: this.#costs.rows().map(({ label, requests, tokens, cost }) => ({
        api_key_id: label?.keyId ?? null,
        api_key_name: label?.name ?? null,
        model: label?.model ?? '(others)',
        requests,
        tokens,
        cost_usd: dollars(cost),
      })),
      series: { bucket_seconds: this.#series.bucketMs / 1_000, points: this.#points() },
      different_requests: this.#different,
      not_known: notKnown({
        whatIf: this.#whatIf,
        ...this.#assumed,
        countedOnly,
        notSimulated,
        isCalibrated: this.#state.load.isCalibrated,
      }),
    };
  }

  #accountRows(): WhatIfReport['accounts'] {
    const { withoutAccounts = [], plusAccounts = [] } = this.#whatIf;
    const ids = new Set([...this.#peaks.keys(), ...this.#accounts.names()]);
    return [...ids].sort().map((id) => {
      const sums = this.#accounts.of(id);
      const peak = this.#peaks.get(id);
      return {
        account_id: id,
        plan_type: this.#plans.get(id) ?? '',
        change: (withoutAccounts as readonly string[]).includes(id)
          ? 'removed'
          : plusAccounts.some((added) => added.id === id)
            ? 'added'
            : 'none',
        requests: sums?.requests ?? NONE,
        tokens: sums?.tokens ?? NONE,
        cost_usd: dollars(sums?.cost ?? NONE),
        primary_percent: peak?.primary ?? { recorded: null, simulated: null },
        secondary_percent: peak?.secondary ?? { recorded: null, simulated: null },
      };
    });
  }

  #points(): WhatIfReport['series']['points'] {
    return this.#series.points().map((point) => {
      const pair = (name: 'served' | 'failed' | 'refused' | 'cost') => ({
        recorded: point[`recorded.${name}`],
        simulated: point[`simulated.${name}`],
      });
      return {
        at: iso(point.at),
        served: pair('served'),
        failed: pair('failed'),
        refused: pair('refused'),
        cost_usd: dollars(pair('cost')),
      };
    });
  }
}

const dollars = ({ recorded, simulated }: PairedSum['cost']): PairedSum['cost'] => ({
  recorded: recorded / 1e6,
  simulated: simulated / 1e6,
});

const reported = ({ kind, accountId, reason, rule, costMicroDollars }: RequestEnd): ReportedEnd => ({
  outcome: kind,
  account_id: accountId,
  reason,
  rule_id: rule?.ruleId ?? null,
  cost_usd: costMicroDollars === null ? null : costMicroDollars / 1e6,
});

function raise(
  peak: { primary: Peak; secondary: Peak },
  side: 'recorded' | 'simulated',
  usage: AccountUsage | undefined,
): void {
  for (const name of ['primary', 'secondary'] as const) {
    const percent = usage?.sample?.[name]?.usedPercent;
    if (percent !== undefined) peak[name][side] = Math.max(peak[name][side] ?? 0, percent);
  }
}

const changesOf = ({
  settings,
  limits,
  prices,
  withoutAccounts = [],
  plusAccounts = [],
}: WhatIf): WhatIfReport['changes'] => ({
  routing_strategy: settings?.routingStrategy ?? null,
  prefer_earlier_reset_accounts: settings?.preferEarlierResetAccounts ?? null,
  sticky_threads_enabled: settings?.stickyThreadsEnabled ?? null,
  limits: Object.keys(limits?.keys ?? {}),
  prices: prices?.version ?? null,
  without_accounts: withoutAccounts,
  plus_accounts: plusAccounts.map(({ id, planType }) => ({ account_id: id, plan_type: planType })),
});

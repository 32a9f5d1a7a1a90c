import type { Account } from '../../domain/account/state.ts';
import type { AccountUsage } from '../../domain/accountUsage/state.ts';
import { decide } from '../../domain/apiKey/decide.ts';
import type { ApiKeyEvent } from '../../domain/apiKey/events.ts';
import type { ApiKey } from '../../domain/apiKey/state.ts';
import type { AccountId, ApiKeyId, Instant, Position } from '../../domain/core/brands.ts';
import type { Recorded } from '../../domain/core/event.ts';
import type { KeyCounters } from '../../domain/limits/counters.ts';
import { type WindowsClock, windowsTime } from '../../domain/limits/windowsClock.ts';
import type { OwnerEvent } from '../../domain/owner/events.ts';
import type { SettingsState } from '../../domain/settings/state.ts';
import type { TeamEvent } from '../../domain/team/events.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import { type ApiKeyFolds, evolveKey } from '../../state/fold/apiKeyFolds.ts';
import type { FoldedRequest } from '../../state/fold/foldedEvent.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { acceptClock, countRequest, evolveOwner, evolveTeam, followAdmission } from '../../state/fold/limitFolds.ts';
import { Pins } from '../../state/fold/pins.ts';
import { AccountLoad } from './accountLoad.ts';
import { limitsOf, type PlusAccount, type WhatIf } from './whatIf.ts';

/** Rules that exist in the simulation only never share an id with a recorded rule. */
export const FIRST_SIMULATED_RULE_ID = 1_000_000;

/**
 * The part of the state that a what-if makes different from the recorded one: accounts and their usage, settings, limits with
 * their counters, pins. It follows the recorded state by the same folds. Cool-downs are those of the recording: an account that
 * failed then is taken to fail.
 */
export class SimulatedState implements ApiKeyFolds {
  readonly accounts = new Map<AccountId, Account>();
  readonly usage = new Map<AccountId, AccountUsage>();
  readonly load: AccountLoad;
  readonly pins: Pins;
  windowsClock: WindowsClock;
  readonly apiKeys: Map<ApiKeyId, ApiKey>;
  readonly keyIdByHash: Map<string, ApiKeyId>;
  readonly counters: ApiKeyFolds['counters'];
  readonly owners: ApiKeyFolds['owners'];
  readonly teams: ApiKeyFolds['teams'];
  readonly answers: HotState['answers'];
  readonly #recorded: HotState;
  readonly #whatIf: WhatIf;
  readonly #without: ReadonlySet<AccountId>;
  readonly #from: Instant;

  /** @param recorded the fold before the period, which the caller continues @param from the beginning of the period */
  constructor(recorded: HotState, whatIf: WhatIf, from: Instant) {
    const { plusAccounts = [], withoutAccounts = [] } = whatIf;
    this.#recorded = recorded;
    this.#whatIf = whatIf;
    this.#without = new Set(withoutAccounts);
    this.#from = from;
    this.load = new AccountLoad(plusAccounts, from);
    this.pins = Pins.from(recorded.pins.data());
    this.windowsClock = recorded.windowsClock;
    this.apiKeys = new Map(recorded.apiKeys);
    this.keyIdByHash = new Map(recorded.keyIdByHash);
    this.counters = new Map([...recorded.counters].map(([holder, counters]) => [holder, copyOf(counters)]));
    this.owners = new Map(recorded.owners);
    this.teams = new Map(recorded.teams);
    this.answers = recorded.answers;
    for (const id of recorded.accounts.keys()) this.#followAccount(id, from);
    for (const planned of plusAccounts) {
      this.accounts.set(planned.id, addedAccount(planned, from));
      this.#followUsage(planned.id, from);
    }
    for (const key of recorded.apiKeys.values()) this.#changeLimits(key, recorded.position, from);
  }

  get settings(): SettingsState {
    const { settings } = this.#recorded;
    const { routingStrategy, preferEarlierResetAccounts, stickyThreadsEnabled } = this.#whatIf.settings ?? {};
    return {
      ...settings,
      routingStrategy: routingStrategy ?? settings.routingStrategy,
      preferEarlierResetAccounts: preferEarlierResetAccounts ?? settings.preferEarlierResetAccounts,
      stickyThreadsEnabled: stickyThreadsEnabled ?? settings.stickyThreadsEnabled,
    };
  }

  /** Whether conversations prefer an account where the recording says so: the request names its conversation then. */
  get keepsPins(): boolean {
    return this.#whatIf.settings?.stickyThreadsEnabled !== false;
  }

  /** Called with each event that does not end a request, after the recorded state has it. */
  follow(event: RecordedEvent, usageBefore: AccountUsage | undefined): void {
    if (event.type === 'ClockAccepted') acceptClock(this, event);
    else if (event.type === 'AccountUsageObserved') this.#followSample(event.data.accountId, usageBefore, event.time);
    else if (event.type.startsWith('Team')) evolveTeam(this, event as Recorded<TeamEvent>);
    else if (event.type.startsWith('Owner')) evolveOwner(this, event as Recorded<OwnerEvent>);
    else if (event.type.startsWith('ApiKey')) this.#followKey(event as Recorded<ApiKeyEvent>);
    else if (event.type.startsWith('Account') && 'accountId' in event.data && event.data.accountId !== null)
      this.#followAccount(event.data.accountId as AccountId, event.time);
  }

  /** Counts a request as the simulation ended it, against its limits. */
  count(request: FoldedRequest, isCounted: boolean): void {
    followAdmission(this, request);
    if (isCounted) countRequest(this, request);
  }

  /** Serves tokens on an account in the simulation that the recording did not serve there, or the other way round. */
  move(accountId: AccountId, tokens: number, now: Instant): void {
    if (tokens === 0) return;
    this.load.move(accountId, tokens, now);
    this.#followUsage(accountId, now);
  }

  /** Called when what the recorded account says of its limits may have changed. */
  followLimit(accountId: AccountId, now: Instant): void {
    this.#followUsage(accountId, now);
  }

  #followAccount(id: AccountId, now: Instant): void {
    if (this.#without.has(id)) return;
    const account = this.#recorded.accounts.get(id);
    if (account) this.accounts.set(id, account);
    else this.accounts.delete(id);
    this.#followUsage(id, now);
  }

  #followSample(id: AccountId, before: AccountUsage | undefined, now: Instant): void {
    const account = this.#recorded.accounts.get(id);
    const after = this.#recorded.usage.get(id)?.sample;
    if (!account || !after) return;
    this.load.onSample(account, before?.sample, after);
    this.#followUsage(id, now);
  }

  #followUsage(id: AccountId, now: Instant): void {
    const account = this.accounts.get(id);
    const usage = account && this.load.usageOf(account, this.#recorded.usage.get(id), now);
    if (usage) this.usage.set(id, usage);
    else this.usage.delete(id);
  }

  #followKey(event: Recorded<ApiKeyEvent>): void {
    const { keyId } = event.data;
    const isChanged = limitsOf(this.#whatIf, keyId) !== undefined;
    if (isChanged && event.type === 'ApiKeyLimitsChanged') return;
    evolveKey(this, event);
    const key = this.apiKeys.get(keyId);
    if (isChanged && key && event.type === 'ApiKeyCreated')
      this.#changeLimits(key, event.position, event.time > this.#from ? event.time : this.#from);
  }

  /** Changes the limits of a key as an operator would: a rule of the same type, window and model keeps its counter. */
  #changeLimits(key: ApiKey, position: Position, at: Instant): void {
    const limits = limitsOf(this.#whatIf, key.id);
    if (!limits) return;
    const windowsNow = windowsTime(this.windowsClock, at);
    const command = { type: 'ChangeApiKey', keyId: key.id, changes: { limits } } as const;
    const nextRuleId = Math.max(key.nextRuleId, FIRST_SIMULATED_RULE_ID);
    for (const event of decide(command, { ...key, nextRuleId }, { now: at, windowsNow }))
      evolveKey(this, { ...event, position, time: at, stream: '', revision: 0 } as Recorded<ApiKeyEvent>);
  }
}

const copyOf = ({ byRule, lastUsedAt }: KeyCounters): KeyCounters => ({
  byRule: new Map([...byRule].map(([ruleId, counter]) => [ruleId, [...counter]])),
  lastUsedAt,
});

const addedAccount = ({ id, planType }: PlusAccount, importedAt: Instant): Account => ({
  id,
  upstreamAccountId: null,
  email: null,
  displayName: null,
  planType,
  hasReadableIdToken: false,
  status: 'active',
  deactivationReason: null,
  proxy: null,
  importedAt,
});

import * as account from '../domain/account/state.ts';
import * as accountLink from '../domain/accountLink/state.ts';
import * as accountTokens from '../domain/accountTokens/state.ts';
import * as accountUsage from '../domain/accountUsage/state.ts';
import { count, type KeyCounters, newCounters } from '../domain/apiKey/counters.ts';
import type { ApiKeyEvent } from '../domain/apiKey/events.ts';
import * as apiKey from '../domain/apiKey/state.ts';
import { type AccountId, type ApiKeyId, type Position, position } from '../domain/brands.ts';
import * as dashboardAuth from '../domain/dashboardAuth/state.ts';
import type { DomainEvent, EventOf, Recorded } from '../domain/event.ts';
import * as firewall from '../domain/firewall/state.ts';
import * as modelCatalogue from '../domain/modelCatalogue/state.ts';
import * as pricing from '../domain/pricing/decide.ts';
import { consumptionOf } from '../domain/request/consumption.ts';
import type { Attempt, CompletedRequest, RequestAdmitted, TokenUsage } from '../domain/request/events.ts';
import * as session from '../domain/session/state.ts';
import * as settings from '../domain/settings/state.ts';
import type { RecordedEvent } from '../log/eventLog.ts';
import { Pins, type PinsData } from './pins.ts';
import { REFRESH_STREAMS } from './subjects.ts';

/** What the fold reads of a completed request. */
export type FoldedRequest = Pick<
  CompletedRequest,
  'requestId' | 'keyId' | 'model' | 'requestedAt' | 'status' | 'accountId' | 'costMicroDollars'
> & {
  readonly usage: Pick<TokenUsage, 'inputTokens' | 'outputTokens'> | null;
  readonly pin?: CompletedRequest['pin'];
  readonly attempts: readonly Pick<Attempt, 'accountId' | 'endedAt' | 'limitedUntil' | 'code'>[];
};

/** An event with as much of its data as the fold reads. */
export type FoldedEvent =
  | Exclude<RecordedEvent, { type: 'RequestCompleted' }>
  | Recorded<DomainEvent<'RequestCompleted', FoldedRequest>>;

export type OpenRequest = Recorded<EventOf<typeof RequestAdmitted>>;

/** The same as plain data, for snapshots. */
export type HotStateData = Omit<HotState, 'apply' | 'data' | 'pins'> & { readonly pins: PinsData };

/**
 * Everything the service decides from, folded from the whole log. The maps are mutable and belong to the runner; what
 * they hold is immutable, except the counters, which every request touches.
 */
export class HotState {
  position: Position = position(0);
  firewall: firewall.Firewall = firewall.initialState;
  models: modelCatalogue.ModelCatalogue = modelCatalogue.initialState;
  prices: pricing.Prices = pricing.initialState;
  settings: settings.SettingsState = settings.initialState;
  dashboardAuth: dashboardAuth.DashboardAuth = dashboardAuth.initialState;
  readonly sessions: session.Sessions = new Map();
  readonly accounts = new Map<AccountId, account.Account>();
  /** Sign-ins at the provider that are under way, and the last that have ended. */
  readonly links = new Map<string, accountLink.AccountLink>();
  readonly tokens = new Map<AccountId, accountTokens.AccountTokens>();
  readonly usage = new Map<AccountId, accountUsage.AccountUsage>();
  readonly apiKeys = new Map<ApiKeyId, apiKey.ApiKey>();
  readonly keyIdByHash = new Map<string, ApiKeyId>();
  readonly counters = new Map<ApiKeyId, KeyCounters>();
  readonly pins = new Pins();
  /** Requests that were announced as open and have not completed. */
  readonly openRequests = new Map<string, OpenRequest>();
  /** Last revision of each stream that commands write to: as many as there ever were subjects, and months of samples. */
  readonly revisions = new Map<string, number>();

  /** @param data from now on this fold's own; what it lacks is as it was at the beginning */
  static from({ pins, ...data }: Partial<HotStateData>): HotState {
    return Object.assign(new HotState(), data, pins && { pins: Pins.from(pins) });
  }

  /** Shares everything with this fold. */
  data(): HotStateData {
    return { ...this, pins: this.pins.data() };
  }

  apply(event: FoldedEvent): void {
    this.position = event.position;
    switch (event.type) {
      case 'RequestCompleted':
        this.#complete(event.data, event.position);
        return;
      case 'RequestAdmitted':
        this.openRequests.set(event.data.requestId, event);
        return;
      case 'SessionTotpVerified':
        this.dashboardAuth = dashboardAuth.evolve(this.dashboardAuth, event);
        session.evolve(this.sessions, event);
        return;
      case 'SessionBegun':
      case 'SessionEnded':
        session.evolve(this.sessions, event);
        return;
      case 'RequestRefused':
      case 'RefusalsCounted':
      case 'SignInFailed':
      case 'SignInsThrottled':
        return;
      default:
        if (!event.stream.startsWith(REFRESH_STREAMS)) this.revisions.set(event.stream, event.revision);
        this.#change(event);
    }
  }

  #change(
    event: Exclude<
      RecordedEvent,
      { type: `Request${string}` | `Session${string}` | `SignIn${string}` | 'RefusalsCounted' }
    >,
  ): void {
    switch (event.type) {
      case 'AccountImported':
      case 'AccountTokensReplaced':
        this.#evolveTokens(event);
        this.#evolveAccount(event);
        if (event.data.linkId !== undefined) this.#evolveLink(event.data.linkId, event);
        return;
      case 'AccountLinkBegun':
      case 'AccountLinkCodeReceived':
      case 'AccountLinkSkipped':
      case 'AccountLinkFailed':
      case 'AccountLinkCancelled':
      case 'AccountLinkExpired':
        this.#evolveLink(event.data.linkId, event);
        return;
      case 'AccountPlanChanged':
      case 'AccountPaused':
      case 'AccountReactivated':
      case 'AccountDeactivated':
        this.#evolveAccount(event);
        return;
      case 'AccountDeleted':
        this.tokens.delete(event.data.accountId);
        this.usage.delete(event.data.accountId);
        this.#evolveAccount(event);
        return;
      case 'TokenRefreshClaimed':
      case 'TokensRefreshed':
      case 'TokenRefreshFailed':
        this.#evolveTokens(event);
        return;
      case 'AccountUsageObserved':
        this.#evolveUsage(event.data.accountId, event);
        return;
      case 'DashboardPasswordChanged':
      case 'DashboardPasswordRemoved':
        this.sessions.clear();
        this.#evolveSettings(event);
        return;
      case 'DashboardPasswordSet':
      case 'TotpConfigured':
      case 'TotpDisabled':
      case 'SettingsChanged':
        this.#evolveSettings(event);
        return;
      case 'IpAllowed':
      case 'IpRevoked':
        this.firewall = firewall.evolve(this.firewall, event);
        return;
      case 'ModelDescribed':
      case 'ModelsListed':
        this.models = modelCatalogue.evolve(this.models, event);
        return;
      case 'PricesPublished':
        this.prices = pricing.evolve(this.prices, event);
        return;
      default:
        this.#evolveKey(event);
        return;
    }
  }

  /** Settings and dashboard authentication stand in one stream, and each heeds what the other says. */
  #evolveSettings(event: Parameters<typeof settings.evolve>[1]): void {
    this.settings = settings.evolve(this.settings, event);
    this.dashboardAuth = dashboardAuth.evolve(this.dashboardAuth, event);
  }

  #evolveAccount(event: Parameters<typeof account.evolve>[1]): void {
    const { accountId } = event.data;
    const next = account.evolve(this.accounts.get(accountId), event);
    if (next) this.accounts.set(accountId, next);
    else this.accounts.delete(accountId);
  }

  #evolveLink(linkId: string, event: Parameters<typeof accountLink.evolve>[1]): void {
    const next = accountLink.evolve(this.links.get(linkId), event);
    if (!next) return;
    this.links.set(linkId, next);
    accountLink.forgetOldLinks(this.links);
  }

  #evolveTokens(event: Parameters<typeof accountTokens.evolve>[1]): void {
    const { accountId } = event.data;
    this.tokens.set(accountId, accountTokens.evolve(this.tokens.get(accountId) ?? accountTokens.initialState, event));
  }

  #evolveUsage(accountId: AccountId, event: Parameters<typeof accountUsage.evolve>[1]): void {
    // What arrives late for a deleted account must not bring half of it back.
    if (!this.accounts.has(accountId)) return;
    this.usage.set(accountId, accountUsage.evolve(this.usage.get(accountId) ?? accountUsage.initialState, event));
  }

  #evolveKey(event: Recorded<ApiKeyEvent>): void {
    const { keyId } = event.data;
    const before = this.apiKeys.get(keyId);
    const after = apiKey.evolve(before, event);
    if (before && before.hash !== after?.hash) this.keyIdByHash.delete(before.hash);
    if (!after) {
      this.apiKeys.delete(keyId);
      this.counters.delete(keyId);
      return;
    }
    this.apiKeys.set(keyId, after);
    this.keyIdByHash.set(after.hash, keyId);
    const counters = this.counters.get(keyId);
    if (event.type === 'ApiKeyUsageReset') counters?.byRule.clear();
    if (event.type === 'ApiKeyLimitsChanged' && counters) {
      const kept = new Set(after.rules.map(({ id }) => id));
      for (const ruleId of counters.byRule.keys()) if (!kept.has(ruleId)) counters.byRule.delete(ruleId);
    }
  }

  #complete(request: FoldedRequest, at: Position): void {
    this.openRequests.delete(request.requestId);
    if (request.keyId !== null) this.#count(request.keyId, request);
    for (const { accountId, limitedUntil, endedAt, code } of request.attempts) {
      if (limitedUntil === undefined) continue;
      const pronounced = { since: endedAt, until: limitedUntil, code: code ?? 'rate_limit_exceeded' };
      this.#evolveUsage(accountId, { type: 'LimitPronounced', ...pronounced });
    }
    if (request.pin && request.status === '200' && !request.pin.isFallback && request.accountId !== null) {
      this.pins.set(request.pin.digest, request.accountId, at);
    }
  }

  #count(keyId: ApiKeyId, request: FoldedRequest): void {
    const key = this.apiKeys.get(keyId);
    if (!key) return;
    let counters = this.counters.get(keyId);
    if (!counters) {
      counters = newCounters();
      this.counters.set(keyId, counters);
    }
    const { model, requestedAt: admittedAt } = request;
    count(counters, key.rules, { model, admittedAt, consumption: consumptionOf(request) });
  }
}

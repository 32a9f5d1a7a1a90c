import * as alert from '../../domain/alert/state.ts';
import type { AuditEvent } from '../../domain/audit/events.ts';
import * as audit from '../../domain/audit/state.ts';
import type { CoolDownEvent } from '../../domain/coolDown/events.ts';
import { type AccountId, type Instant, type Position, position } from '../../domain/core/brands.ts';
import * as dashboardAuth from '../../domain/dashboardAuth/state.ts';
import type { IpAddress } from '../../domain/firewall/ipAddress.ts';
import * as firewall from '../../domain/firewall/state.ts';
import * as hold from '../../domain/hold/state.ts';
import * as windowsClock from '../../domain/limits/windowsClock.ts';
import * as managementToken from '../../domain/managementToken/state.ts';
import * as modelCatalogue from '../../domain/modelCatalogue/state.ts';
import * as operator from '../../domain/operator/state.ts';
import * as pricing from '../../domain/pricing/decide.ts';
import * as session from '../../domain/session/state.ts';
import * as settings from '../../domain/settings/state.ts';
import type { RecordedEvent } from '../../eventLog/eventLog.ts';
import {
  type AccountFolds,
  endLimitCoolDown,
  evolveAccount,
  evolveCoolDowns,
  evolveLink,
  evolveTokens,
  evolveUsage,
  followAttempts,
  forgetFailures,
} from './accountFolds.ts';
import { AnswerHistory, type AnswerHistoryData } from './answerHistory.ts';
import { type ApiKeyFolds, evolveKey } from './apiKeyFolds.ts';
import type { FoldedEvent, FoldedRequest } from './foldedEvent.ts';
import { acceptClock, countRequest, evolveOwner, evolveTeam, followAdmission, type LimitFolds } from './limitFolds.ts';
import { Pins, type PinsData } from './pins.ts';
import { REFRESH_STREAM_PREFIX } from './refreshStreams.ts';
import { closeRequest, openRequest, type RequestFolds } from './requestFolds.ts';
import {
  countTotpUse,
  evolveBuiltInPassword,
  evolveOperators,
  evolvePasskeyUses,
  type SignInFolds,
} from './signInFolds.ts';

/** The hot state as plain data, for snapshots. */
export type HotStateData = Omit<HotState, 'apply' | 'beforeSharing' | 'data' | 'pins' | 'answers'> & {
  readonly pins: PinsData;
  readonly answers: AnswerHistoryData;
};

/**
 * Everything the service decides from, folded from the whole log. The maps are mutable and owned by the runner; their values
 * are immutable, except the counters, which every request changes, and the allowlist while no other state has it.
 */
export class HotState implements AccountFolds, ApiKeyFolds, RequestFolds, SignInFolds {
  position: Position = position(0);
  firewall: firewall.Firewall = firewall.initialState;
  models: modelCatalogue.ModelCatalogue = modelCatalogue.initialState;
  prices: pricing.Prices = pricing.initialState;
  settings: settings.SettingsState = settings.initialState;
  dashboardAuth: dashboardAuth.DashboardAuth = dashboardAuth.initialState;
  windowsClock: windowsClock.WindowsClock = windowsClock.initialState;
  audit: audit.AuditState = audit.initialState;
  holds: hold.HoldState = hold.initialState;
  alerts: alert.AlertState = alert.initialState;
  operators: operator.Operators = operator.initialState;
  managementTokens: managementToken.ManagementTokens = managementToken.initialState;
  readonly sessions: session.Sessions = new Map();
  readonly passkeyUses: SignInFolds['passkeyUses'] = new Map();
  readonly accounts: AccountFolds['accounts'] = new Map();
  readonly links: AccountFolds['links'] = new Map();
  readonly tokens: AccountFolds['tokens'] = new Map();
  readonly usage: AccountFolds['usage'] = new Map();
  readonly coolDowns: AccountFolds['coolDowns'] = new Map();
  readonly health: AccountFolds['health'] = new Map();
  readonly apiKeys: ApiKeyFolds['apiKeys'] = new Map();
  readonly keyIdByHash: ApiKeyFolds['keyIdByHash'] = new Map();
  readonly counters: LimitFolds['counters'] = new Map();
  readonly owners: LimitFolds['owners'] = new Map();
  readonly teams: LimitFolds['teams'] = new Map();
  readonly pins = new Pins();
  /** How long answers were; estimates of requests follow from it. */
  readonly answers = new AnswerHistory();
  readonly openRequests: RequestFolds['openRequests'] = new Map();
  readonly lateAnnouncements: RequestFolds['lateAnnouncements'] = new Map();
  /** Last revision of each stream that commands write to. Grows with the number of subjects and of months with samples. */
  readonly revisions = new Map<string, number>();
  /** The allowlist, if no other state has the same map: copying a long one for each change would be most of a fold. */
  #ownFirewall: Map<IpAddress, { allowedAt: Instant }> | undefined;

  /** @param data is owned by the new state; missing parts are empty */
  static from({ pins, answers, ...data }: Partial<HotStateData>): HotState {
    return Object.assign(
      new HotState(),
      data,
      pins && { pins: Pins.from(pins) },
      answers && { answers: AnswerHistory.from(answers) },
    );
  }

  /** Called before another state shares the values of this one: what this one changes in place, it copies first. */
  beforeSharing(): void {
    this.#ownFirewall = undefined;
  }

  /** Shares all values with this state. */
  data(): HotStateData {
    this.beforeSharing();
    return { ...this, pins: this.pins.data(), answers: this.answers.data() };
  }

  apply(event: FoldedEvent): void {
    this.position = event.position;
    switch (event.type) {
      case 'RequestCompleted':
        this.#complete(event.data, event.position, event.time);
        return;
      case 'RequestAdmitted':
        openRequest(this, event);
        followAdmission(this, event.data);
        return;
      case 'SessionTotpVerified':
        countTotpUse(this, event, event.data);
        session.evolve(this.sessions, event);
        return;
      case 'SessionReauthenticated': {
        const { totp } = event.data;
        if (totp) countTotpUse(this, event, { totpId: totp.id, step: totp.step });
        session.evolve(this.sessions, event);
        return;
      }
      case 'SessionBegun':
      case 'SessionEnded':
        session.evolve(this.sessions, event);
        return;
      case 'AccountsCooled':
      case 'AccountRecovered':
        evolveCoolDowns(this, event);
        return;
      case 'RequestRefused':
        followAdmission(this, event.data);
        return;
      case 'RequestImported':
        // Another program served it: nothing counts it. The revision tells the next import how many there are.
        this.revisions.set(event.stream, event.revision);
        return;
      case 'VaultLossAccepted':
        for (const accountId of event.data.accountIds) this.tokens.delete(accountId);
        return;
      case 'ManagementTokenUsed':
        this.managementTokens = managementToken.evolve(this.managementTokens, event);
        return;
      case 'NodeStarted':
      case 'NodeStopped':
      case 'VerificationMade':
      case 'EvidenceMade':
      case 'RequestsExported':
      case 'CallersForgotten':
        this.audit = audit.evolve(this.audit, event);
        return;
      case 'RefusalsCounted':
      case 'SignInFailed':
      case 'SignInsThrottled':
      case 'OperatorSignInFailed':
      case 'ActionDenied':
      case 'LossAccepted':
      case 'CheckpointKeyLossAccepted':
      case 'DayArchived':
      case 'ImportBegun':
      case 'ArchiveRestored':
      case 'EventParked':
      case 'ClockJumped':
        return;
      default:
        if (!event.stream.startsWith(REFRESH_STREAM_PREFIX)) this.revisions.set(event.stream, event.revision);
        this.#change(event);
    }
  }

  #change(
    event: Exclude<
      RecordedEvent,
      {
        type:
          | `Request${string}`
          | `Session${string}`
          | `SignIn${string}`
          | 'OperatorSignInFailed'
          | 'ActionDenied'
          | 'ManagementTokenUsed'
          | 'RefusalsCounted'
          | 'LossAccepted'
          | 'CheckpointKeyLossAccepted'
          | 'DayArchived'
          | 'ImportBegun'
          | 'ArchiveRestored'
          | 'VaultLossAccepted'
          | 'EventParked'
          | 'ClockJumped'
          | AuditEvent['type']
          | CoolDownEvent['type'];
      }
    >,
  ): void {
    switch (event.type) {
      case 'AccountImported':
      case 'AccountTokensReplaced':
        forgetFailures(this, event.data.accountId);
        evolveTokens(this, event);
        evolveAccount(this, event);
        if (event.data.linkId !== undefined) evolveLink(this, event.data.linkId, event);
        return;
      case 'AccountLinkBegun':
      case 'AccountLinkCodeReceived':
      case 'AccountLinkSkipped':
      case 'AccountLinkFailed':
      case 'AccountLinkCancelled':
      case 'AccountLinkExpired':
        evolveLink(this, event.data.linkId, event);
        return;
      case 'AccountReactivated':
        // The operator asks for another attempt.
        forgetFailures(this, event.data.accountId);
        evolveAccount(this, event);
        return;
      case 'AccountPlanChanged':
      case 'AccountPaused':
      case 'AccountDeactivated':
      case 'AccountProxyChanged':
        evolveAccount(this, event);
        return;
      case 'AccountDeleted':
        this.tokens.delete(event.data.accountId);
        this.usage.delete(event.data.accountId);
        this.coolDowns.delete(event.data.accountId);
        this.health.delete(event.data.accountId);
        this.#retainDeleted(event.data.accountId, event.time);
        evolveAccount(this, event);
        return;
      case 'TokenRefreshClaimed':
      case 'TokensRefreshed':
      case 'TokenRefreshFailed':
        evolveTokens(this, event);
        return;
      case 'AccountUsageObserved':
        evolveUsage(this, event.data.accountId, event);
        return;
      case 'DashboardPasswordSet':
      case 'DashboardPasswordChanged':
      case 'DashboardPasswordRemoved':
        evolveBuiltInPassword(this, event);
        return;
      // Settings and dashboard authentication share a stream, and each depends on these events of the other.
      case 'TotpConfigured':
      case 'TotpDisabled':
      case 'SettingsChanged':
        this.settings = settings.evolve(this.settings, event);
        this.dashboardAuth = dashboardAuth.evolve(this.dashboardAuth, event);
        return;
      case 'IpAllowed':
      case 'IpRevoked':
        this.#ownFirewall = firewall.changeInPlace(this.#ownFirewall ?? new Map(this.firewall), event);
        this.firewall = this.#ownFirewall;
        return;
      case 'ModelDescribed':
      case 'ModelsListed':
        this.models = modelCatalogue.evolve(this.models, event);
        return;
      case 'PricesPublished':
        this.prices = pricing.evolve(this.prices, event);
        return;
      case 'ClockAccepted':
        acceptClock(this, event);
        return;
      case 'AlertRaised':
      case 'AlertResolved':
      case 'WebhookAdded':
      case 'WebhookRemoved':
      case 'AlertDelivered':
      case 'AlertDeliveryFailed':
        this.alerts = alert.evolve(this.alerts, event);
        return;
      case 'HoldPlaced':
      case 'HoldLifted':
        this.holds = hold.evolve(this.holds, event);
        return;
      case 'ManagementTokenCreated':
      case 'ManagementTokenRevoked':
        this.managementTokens = managementToken.evolve(this.managementTokens, event);
        return;
      case 'OperatorInvited':
      case 'OperatorInvitationRenewed':
      case 'OperatorInvitationAccepted':
      case 'OperatorRegistered':
      case 'OperatorIdentityLinked':
      case 'OperatorPasswordSet':
      case 'OperatorProfileChanged':
      case 'OperatorRoleChanged':
      case 'OperatorDisabled':
      case 'OperatorEnabled':
      case 'OperatorRemoved':
      case 'OperatorForgotten':
      case 'OperatorTotpConfigured':
      case 'OperatorTotpDisabled':
      case 'OperatorRecoveryCodesMade':
      case 'OperatorRecoveryCodeUsed':
      case 'OperatorPasskeyAdded':
      case 'OperatorPasskeyRenamed':
      case 'OperatorPasskeyRemoved':
        evolveOperators(this, event);
        return;
      case 'PasskeyUsed':
      case 'PasskeyCounterRegressed':
        evolvePasskeyUses(this, event);
        return;
      case 'TeamCreated':
      case 'TeamRenamed':
      case 'TeamLimitsChanged':
      case 'TeamUsageReset':
      case 'TeamDeleted':
        evolveTeam(this, event);
        return;
      case 'OwnerLimitsChanged':
      case 'OwnerUsageReset':
        evolveOwner(this, event);
        return;
      default:
        evolveKey(this, event);
        return;
    }
  }

  #retainDeleted(accountId: AccountId, time: Instant): void {
    const account = this.accounts.get(accountId);
    if (account) this.holds = hold.retainIfHeld(this.holds, accountId, account.importedAt, time);
  }

  #complete(request: FoldedRequest, at: Position, time: Instant): void {
    closeRequest(this, request);
    followAdmission(this, request);
    const key = request.keyId === null ? undefined : this.apiKeys.get(request.keyId);
    countRequest(this, request);
    if (request.usage) {
      this.answers.record(key?.id ?? null, request.model, request.usage.outputTokens, request.status === '200', at);
    }
    followAttempts(this, request, time);
    for (const { accountId, limitedUntil, endedAt, code } of request.attempts) {
      if (limitedUntil === undefined) continue;
      const reported = { since: endedAt, until: limitedUntil, code: code ?? 'rate_limit_exceeded' };
      evolveUsage(this, accountId, { type: 'LimitReported', ...reported });
      endLimitCoolDown(this, accountId);
    }
    if (request.pin && request.status === '200' && !request.pin.isFallback && request.accountId !== null) {
      this.pins.set(request.pin.digest, request.accountId, at);
    }
  }
}

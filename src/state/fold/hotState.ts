import * as alert from '../../domain/alert/state.ts';
import type { AuditEvent } from '../../domain/audit/events.ts';
import * as audit from '../../domain/audit/state.ts';
import type { CoolDownEvent } from '../../domain/coolDown/events.ts';
import { type AccountId, type Instant, type Position, position } from '../../domain/core/brands.ts';
import { BUILT_IN_ADMINISTRATOR } from '../../domain/core/builtInAdministrator.ts';
import type { EventOf, Recorded } from '../../domain/core/event.ts';
import * as dashboardAuth from '../../domain/dashboardAuth/state.ts';
import type { IpAddress } from '../../domain/firewall/ipAddress.ts';
import * as firewall from '../../domain/firewall/state.ts';
import * as hold from '../../domain/hold/state.ts';
import * as windowsClock from '../../domain/limits/windowsClock.ts';
import * as managementToken from '../../domain/managementToken/state.ts';
import * as modelCatalogue from '../../domain/modelCatalogue/state.ts';
import * as operator from '../../domain/operator/state.ts';
import * as passkeyUse from '../../domain/passkeyUse/state.ts';
import * as pricing from '../../domain/pricing/decide.ts';
import type { RequestAdmitted } from '../../domain/request/events.ts';
import * as session from '../../domain/session/state.ts';
import { TOTP_USES_PREFIX } from '../../domain/session/totpUse.ts';
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

/** An open request as it was last announced. */
export type OpenRequest = Recorded<EventOf<typeof RequestAdmitted>> & {
  /** How often it was announced, if more than once: again when it reserves more. */
  readonly announcements?: number;
};

/** How often a request was announced. */
export const announcementsOf = ({ announcements = 1 }: OpenRequest): number => announcements;

/** Far more than arrive late: those that were lost are forgotten, the oldest first. */
const MAX_LATE_ANNOUNCEMENTS = 10_000;

/** The hot state as plain data, for snapshots. */
export type HotStateData = Omit<HotState, 'apply' | 'beforeSharing' | 'data' | 'pins' | 'answers'> & {
  readonly pins: PinsData;
  readonly answers: AnswerHistoryData;
};

/**
 * Everything the service decides from, folded from the whole log. The maps are mutable and owned by the runner; their values
 * are immutable, except the counters, which every request changes, and the allowlist while no other state has it.
 */
export class HotState implements AccountFolds, ApiKeyFolds {
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
  /** By the id of the operator. */
  readonly passkeyUses = new Map<string, passkeyUse.PasskeyUses>();
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
  /** Requests that were announced by `RequestAdmitted` and have not completed. */
  readonly openRequests = new Map<string, OpenRequest>();
  /** How many announcements of requests that have completed the log still lacks: they arrive late, or were lost. */
  readonly lateAnnouncements = new Map<string, number>();
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
        this.#announce(event);
        followAdmission(this, event.data);
        return;
      case 'SessionTotpVerified':
        this.#useTotp(event, event.data);
        session.evolve(this.sessions, event);
        return;
      case 'SessionReauthenticated': {
        const { totp } = event.data;
        if (totp) this.#useTotp(event, { totpId: totp.id, step: totp.step });
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
      case 'DashboardPasswordChanged':
      case 'DashboardPasswordRemoved':
        session.endSessionsOf(this.sessions, BUILT_IN_ADMINISTRATOR);
        this.#changeBuiltInPassword(event);
        return;
      case 'DashboardPasswordSet':
        this.#changeBuiltInPassword(event);
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
        this.operators = operator.evolve(this.operators, event);
        if (event.type === 'OperatorDisabled' || event.type === 'OperatorRemoved') {
          session.endSessionsOf(this.sessions, event.data.operatorId);
        }
        if (event.type === 'OperatorRemoved') this.passkeyUses.delete(event.data.operatorId);
        return;
      case 'OperatorPasskeyRenamed':
        this.operators = operator.evolve(this.operators, event);
        return;
      case 'OperatorPasskeyAdded':
      case 'OperatorPasskeyRemoved':
        this.operators = operator.evolve(this.operators, event);
        this.#evolvePasskeyUses(event);
        return;
      case 'PasskeyUsed':
      case 'PasskeyCounterRegressed':
        this.#evolvePasskeyUses(event);
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

  /** Where a command wrote the event, its stream is that of the TOTP; otherwise that of a node. */
  #useTotp({ stream, revision }: { stream: string; revision: number }, used: { totpId: string; step: number }): void {
    if (stream.startsWith(TOTP_USES_PREFIX)) this.revisions.set(stream, revision);
    this.dashboardAuth = dashboardAuth.withUsedStep(this.dashboardAuth, used);
    this.operators = operator.withUsedStep(this.operators, used);
  }

  /** A removed operator has none: a use that arrives later is ignored. */
  #evolvePasskeyUses(event: Parameters<typeof passkeyUse.evolve>[1]): void {
    const { operatorId } = event.data;
    const before = this.passkeyUses.get(operatorId);
    if (before === undefined && event.type !== 'OperatorPasskeyAdded') return;
    this.passkeyUses.set(operatorId, passkeyUse.evolve(before ?? passkeyUse.initialState, event));
  }

  #changeBuiltInPassword(event: Parameters<typeof dashboardAuth.evolve>[1]): void {
    this.dashboardAuth = dashboardAuth.evolve(this.dashboardAuth, event);
    this.operators = operator.withBuiltInPassword(this.operators, this.dashboardAuth.password !== null);
  }

  #retainDeleted(accountId: AccountId, time: Instant): void {
    const account = this.accounts.get(accountId);
    if (account) this.holds = hold.retainIfHeld(this.holds, accountId, account.importedAt, time);
  }

  /** An announcement that the log has after the end of its request opens nothing. */
  #announce(event: OpenRequest): void {
    const { requestId } = event.data;
    const late = this.lateAnnouncements.get(requestId);
    if (late !== undefined) {
      if (late > 1) this.lateAnnouncements.set(requestId, late - 1);
      else this.lateAnnouncements.delete(requestId);
      return;
    }
    const before = this.openRequests.get(requestId);
    this.openRequests.set(requestId, before ? { ...event, announcements: announcementsOf(before) + 1 } : event);
  }

  #close({ requestId, announcements }: FoldedRequest): void {
    // Few requests are announced, and to look one up means to hash its id.
    if (announcements === undefined && this.openRequests.size === 0) return;
    const open = this.openRequests.get(requestId);
    if (open) this.openRequests.delete(requestId);
    const late = (announcements ?? 0) - (open ? announcementsOf(open) : 0);
    if (late <= 0) return;
    this.lateAnnouncements.set(requestId, late);
    if (this.lateAnnouncements.size <= MAX_LATE_ANNOUNCEMENTS) return;
    this.lateAnnouncements.delete(this.lateAnnouncements.keys().next().value as string);
  }

  #complete(request: FoldedRequest, at: Position, time: Instant): void {
    this.#close(request);
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

import { account } from '../../domain/account/decide.ts';
import { accountLink } from '../../domain/accountLink/decide.ts';
import { accountTokens } from '../../domain/accountTokens/decide.ts';
import { accountUsage } from '../../domain/accountUsage/decide.ts';
import { alert } from '../../domain/alert/decide.ts';
import { apiKey } from '../../domain/apiKey/decide.ts';
import { windowsClock } from '../../domain/clock/decide.ts';
import type { AccountId, ApiKeyId, Instant, TeamId } from '../../domain/core/brands.ts';
import type { Decider } from '../../domain/core/decider.ts';
import type { DomainEvent } from '../../domain/core/event.ts';
import { dashboardAuth } from '../../domain/dashboardAuth/decide.ts';
import { firewall } from '../../domain/firewall/decide.ts';
import { hold } from '../../domain/hold/decide.ts';
import { managementToken } from '../../domain/managementToken/decide.ts';
import { modelCatalogue } from '../../domain/modelCatalogue/decide.ts';
import { totpWith } from '../../domain/operator/credentials.ts';
import { operator } from '../../domain/operator/decide.ts';
import { owner } from '../../domain/owner/decide.ts';
import { streamIdOf } from '../../domain/owner/ownerName.ts';
import { passkeyUse } from '../../domain/passkeyUse/decide.ts';
import { pricing } from '../../domain/pricing/decide.ts';
import { TOTP_USES_PREFIX, totpUse } from '../../domain/session/totpUse.ts';
import { settings } from '../../domain/settings/decide.ts';
import { team } from '../../domain/team/decide.ts';
import type { HotState } from './hotState.ts';

/** A kind of resource that commands change: its decider, its stream, and its state within the hot state. */
export interface Subject<Id, State, Command, Event extends DomainEvent> {
  readonly decider: Decider<State, Command, Event>;
  readonly streamOf: (id: Id) => string;
  readonly stateIn: (hot: HotState, id: Id) => State;
}

const subject = <Id, State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
  streamOf: (id: Id) => string,
  stateIn: (hot: HotState, id: Id) => State,
): Subject<Id, State, Command, Event> => ({ decider, streamOf, stateIn });

/** The usage samples of one account in one month of UTC. Streams are per month; the state spans all of them. */
export interface UsageStream {
  readonly accountId: AccountId;
  readonly yyyymm: string;
}

/** The month of UTC that contains `time`, as `yyyymm`. */
export const monthOf = (time: Instant): string => new Date(time).toISOString().slice(0, 7).replace('-', '');

/** Every kind of resource that commands change. */
export const subjects = {
  account: subject(
    account,
    (id: AccountId) => `account-${id}`,
    (hot, id) => hot.accounts.get(id),
  ),
  accountLink: subject(
    accountLink,
    (id: string) => `accountLink-${id}`,
    (hot, id) => hot.links.get(id),
  ),
  accountTokens: subject(
    accountTokens,
    (id: AccountId) => `accountTokens-${id}`,
    (hot, id) => hot.tokens.get(id) ?? accountTokens.initialState,
  ),
  accountUsage: subject(
    accountUsage,
    ({ accountId, yyyymm }: UsageStream) => `accountUsage-${accountId}_${yyyymm}`,
    (hot, { accountId }) => hot.usage.get(accountId) ?? accountUsage.initialState,
  ),
  /** Alerts, and the webhooks that are notified of them. */
  alert: subject(
    alert,
    (_id: 'main') => 'alerts-main',
    (hot) => hot.alerts,
  ),
  apiKey: subject(
    apiKey,
    (id: ApiKeyId) => `apiKey-${id}`,
    (hot, id) => hot.apiKeys.get(id),
  ),
  /** The clock of the windows of limits. */
  clock: subject(
    windowsClock,
    (_id: 'main') => 'clock-main',
    (hot) => hot.windowsClock,
  ),
  firewall: subject(
    firewall,
    (_id: 'main') => 'firewall-main',
    (hot) => hot.firewall,
  ),
  /** Legal holds. */
  hold: subject(
    hold,
    (_id: 'main') => 'holds-main',
    (hot) => hot.holds,
  ),
  /** Tokens of scripts that manage the service. */
  managementToken: subject(
    managementToken,
    (_id: 'main') => 'managementTokens-main',
    (hot) => hot.managementTokens,
  ),
  modelCatalogue: subject(
    modelCatalogue,
    (_id: 'main') => 'modelCatalogue-main',
    (hot) => hot.models,
  ),
  /** The people that manage the service. */
  operator: subject(
    operator,
    (_id: 'main') => 'operators-main',
    (hot) => hot.operators,
  ),
  /** The limits of an owner of keys. */
  owner: subject(
    owner,
    (id: string) => `owner-${streamIdOf(id)}`,
    (hot, id) => hot.owners.get(id),
  ),
  /** The uses of the passkeys of an operator. */
  passkeyUse: subject(
    passkeyUse,
    (operatorId: string) => `passkeyUses-${operatorId}`,
    (hot, operatorId) => hot.passkeyUses.get(operatorId) ?? passkeyUse.initialState,
  ),
  pricing: subject(
    pricing,
    (_id: 'main') => 'pricing-main',
    (hot) => hot.prices,
  ),
  /** Shares a stream with `settings`, so that requiring TOTP and disabling it cannot both succeed. */
  dashboardAuth: subject(
    dashboardAuth,
    (_id: 'main') => 'settings-main',
    (hot) => hot.dashboardAuth,
  ),
  settings: subject(
    settings,
    (_id: 'main') => 'settings-main',
    (hot) => hot.settings,
  ),
  team: subject(
    team,
    (id: TeamId) => `team-${id}`,
    (hot, id) => hot.teams.get(id),
  ),
  /** The uses of the codes of one TOTP, of the built-in administrator or an operator. */
  totpUse: subject(
    totpUse,
    (totpId: string) => `${TOTP_USES_PREFIX}${totpId}`,
    (hot, totpId) => totpWith(totpId, hot),
  ),
};

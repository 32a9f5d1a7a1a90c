import * as account from './account/events.ts';
import * as accountLink from './accountLink/events.ts';
import * as accountTokens from './accountTokens/events.ts';
import * as accountUsage from './accountUsage/events.ts';
import * as alert from './alert/events.ts';
import * as apiKey from './apiKey/events.ts';
import * as archive from './archive/events.ts';
import * as audit from './audit/events.ts';
import * as clock from './clock/events.ts';
import * as coolDown from './coolDown/events.ts';
import type { EventDefinition, EventOf, Upcaster } from './core/event.ts';
import * as dashboardAuth from './dashboardAuth/events.ts';
import * as firewall from './firewall/events.ts';
import * as hold from './hold/events.ts';
import * as losses from './losses/events.ts';
import * as managementToken from './managementToken/events.ts';
import * as modelCatalogue from './modelCatalogue/events.ts';
import * as moving from './moving/events.ts';
import * as operator from './operator/events.ts';
import * as outbox from './outbox/events.ts';
import * as owner from './owner/events.ts';
import * as passkeyUse from './passkeyUse/events.ts';
import * as pricing from './pricing/events.ts';
import * as request from './request/events.ts';
import * as session from './session/events.ts';
import * as settings from './settings/events.ts';
import * as team from './team/events.ts';

type Definitions<Module> = Extract<Module[keyof Module], { readonly upcasters: readonly Upcaster[] }>;
type Declared =
  | Definitions<typeof account>
  | Definitions<typeof accountLink>
  | Definitions<typeof accountTokens>
  | Definitions<typeof accountUsage>
  | Definitions<typeof alert>
  | Definitions<typeof apiKey>
  | Definitions<typeof archive>
  | Definitions<typeof audit>
  | Definitions<typeof clock>
  | Definitions<typeof coolDown>
  | Definitions<typeof dashboardAuth>
  | Definitions<typeof firewall>
  | Definitions<typeof hold>
  | Definitions<typeof losses>
  | Definitions<typeof managementToken>
  | Definitions<typeof modelCatalogue>
  | Definitions<typeof moving>
  | Definitions<typeof operator>
  | Definitions<typeof outbox>
  | Definitions<typeof owner>
  | Definitions<typeof passkeyUse>
  | Definitions<typeof pricing>
  | Definitions<typeof request>
  | Definitions<typeof session>
  | Definitions<typeof settings>
  | Definitions<typeof team>;

/** Every event that this version knows. */
export type KnownEvent = EventOf<Declared>;

const isDefinition = (value: unknown): value is EventDefinition => typeof value === 'function' && 'upcasters' in value;

/** The registry of event types by name. A node stops at an event whose type is not in it. */
export const eventTypes: ReadonlyMap<string, EventDefinition<string, never>> = new Map(
  [
    account,
    accountLink,
    accountTokens,
    accountUsage,
    alert,
    apiKey,
    audit,
    archive,
    clock,
    coolDown,
    dashboardAuth,
    firewall,
    hold,
    losses,
    managementToken,
    modelCatalogue,
    moving,
    operator,
    outbox,
    owner,
    passkeyUse,
    pricing,
    request,
    session,
    settings,
    team,
  ]
    .flatMap((module) => Object.values(module) as unknown[])
    .filter(isDefinition)
    .map((definition) => [definition.type, definition]),
);

/** Types whose version 1 was written by versions of svc that ignored fields which they did not know. */
const OPEN_IN_VERSION_1: ReadonlySet<string> = new Set(
  [
    'AccountImported AccountTokensReplaced AccountPlanChanged AccountPaused AccountReactivated AccountDeactivated',
    'AccountDeleted AccountLinkBegun AccountLinkCodeReceived AccountLinkSkipped AccountLinkFailed AccountLinkCancelled',
    'AccountLinkExpired TokenRefreshClaimed TokensRefreshed TokenRefreshFailed AccountUsageObserved ApiKeyCreated',
    'ApiKeyRenamed ApiKeyModelsChanged ApiKeyExpiryChanged ApiKeyActivated ApiKeyDeactivated ApiKeyLimitsChanged',
    'ApiKeyUsageReset ApiKeyRegenerated ApiKeyDeleted IpAllowed IpRevoked DashboardPasswordSet DashboardPasswordChanged',
    'DashboardPasswordRemoved TotpConfigured TotpDisabled SessionBegun SessionTotpVerified SessionEnded SignInFailed',
    'SignInsThrottled SettingsChanged RequestAdmitted RequestCompleted ModelDescribed ModelsListed PricesPublished',
    'RequestRefused RefusalsCounted',
  ].flatMap((names) => names.split(' ')),
);

/**
 * Whether a field that the schema does not know is kept and reported instead of refused. A version that is not open never
 * gets a field: a new one makes a new version, so that no older build ignores it
 * (docs/decisions/0009-unknown-event-types-stop-a-node.md).
 */
export const isOpenVersion = (type: string, version: number): boolean => version === 1 && OPEN_IN_VERSION_1.has(type);

/** The log has an event that this version does not know; continuing would ignore a change. */
export class UnknownEventType extends Error {
  override readonly name = 'UnknownEventType';
  constructor(type: string, version?: number) {
    super(
      version === undefined
        ? `The log contains an event of type "${type}", which this version of svc does not know. Start a newer version.`
        : `The log contains "${type}" in schema version ${version}, which this version of svc does not know. Start a newer version.`,
    );
  }
}

/**
 * Converts stored data to the current version of its type.
 * @throws UnknownEventType when this build does not know the type or its version
 */
export function upcast(type: string, version: number, data: unknown): unknown {
  const definition = eventTypes.get(type);
  if (!definition) throw new UnknownEventType(type);
  if (version === definition.version) return data;
  const isOlder = Number.isInteger(version) && version >= 1 && version < definition.version;
  if (!isOlder) throw new UnknownEventType(type, version);
  return definition.upcasters.slice(version - 1).reduce((older, step) => step(older), data);
}

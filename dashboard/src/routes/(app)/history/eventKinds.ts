/** A group of event types that the history offers as one filter. */
export interface EventKind {
  readonly value: string;
  readonly label: string;
  readonly hint: string;
  /** Whether it is shown by default; the other kinds are frequent and seldom of interest. */
  readonly isChange: boolean;
  readonly types: readonly string[];
}

/** Every registered event type is in exactly one of them (test/dashboard/eventKinds.unit.test.ts). */
export const EVENT_KINDS: readonly EventKind[] = [
  {
    value: 'accounts',
    label: 'Accounts',
    hint: 'linked, imported, paused, deactivated, deleted, proxy',
    isChange: true,
    types: [
      'AccountImported',
      'AccountTokensReplaced',
      'AccountPlanChanged',
      'AccountPaused',
      'AccountReactivated',
      'AccountDeactivated',
      'AccountProxyChanged',
      'AccountDeleted',
      'AccountLinkBegun',
      'AccountLinkCodeReceived',
      'AccountLinkSkipped',
      'AccountLinkFailed',
      'AccountLinkCancelled',
      'AccountLinkExpired',
    ],
  },
  {
    value: 'keys',
    label: 'API keys',
    hint: 'created, limited, renamed, deleted',
    isChange: true,
    types: [
      'ApiKeyCreated',
      'ApiKeyRenamed',
      'ApiKeyModelsChanged',
      'ApiKeyRegionsChanged',
      'ApiKeyExpiryChanged',
      'ApiKeyLimitsChanged',
      'ApiKeyActivated',
      'ApiKeyDeactivated',
      'ApiKeyUsageReset',
      'ApiKeyRegenerated',
      'ApiKeyOwnerChanged',
      'ApiKeyTeamChanged',
      'ApiKeyDeleted',
    ],
  },
  {
    value: 'teams',
    label: 'Teams and owners',
    hint: 'teams, and the limits of teams and owners',
    isChange: true,
    types: [
      'TeamCreated',
      'TeamRenamed',
      'TeamLimitsChanged',
      'TeamUsageReset',
      'TeamDeleted',
      'OwnerLimitsChanged',
      'OwnerUsageReset',
    ],
  },
  {
    value: 'settings',
    label: 'Settings and firewall',
    hint: 'routing, password, two-factor authentication, addresses',
    isChange: true,
    types: [
      'SettingsChanged',
      'DashboardPasswordSet',
      'DashboardPasswordChanged',
      'DashboardPasswordRemoved',
      'TotpConfigured',
      'TotpDisabled',
      'IpAllowed',
      'IpRevoked',
    ],
  },
  {
    value: 'sign-ins',
    label: 'Sign-ins',
    hint: 'dashboard sign-ins, including failed ones',
    isChange: true,
    types: [
      'SessionBegun',
      'SessionTotpVerified',
      'SessionReauthenticated',
      'SessionEnded',
      'SignInFailed',
      'OperatorSignInFailed',
      'PasskeyUsed',
      'PasskeyCounterRegressed',
      'SignInsThrottled',
    ],
  },
  {
    value: 'operators',
    label: 'Operators',
    hint: 'people, their roles and management tokens, denied actions',
    isChange: true,
    types: [
      'OperatorInvited',
      'OperatorInvitationRenewed',
      'OperatorInvitationAccepted',
      'OperatorRegistered',
      'OperatorIdentityLinked',
      'OperatorPasswordSet',
      'OperatorProfileChanged',
      'OperatorRoleChanged',
      'OperatorDisabled',
      'OperatorEnabled',
      'OperatorRemoved',
      'OperatorForgotten',
      'OperatorTotpConfigured',
      'OperatorTotpDisabled',
      'OperatorRecoveryCodesMade',
      'OperatorRecoveryCodeUsed',
      'OperatorPasskeyAdded',
      'OperatorPasskeyRenamed',
      'OperatorPasskeyRemoved',
      'ManagementTokenCreated',
      'ManagementTokenRevoked',
      'ManagementTokenUsed',
      'ActionDenied',
    ],
  },
  {
    value: 'log',
    label: 'Event log',
    hint: 'archived days, accepted losses, events that the store refused, clocks that jumped',
    isChange: true,
    types: [
      'LossAccepted',
      'VaultLossAccepted',
      'CheckpointKeyLossAccepted',
      'DayArchived',
      'ArchiveRestored',
      'EventParked',
      'ClockJumped',
      'ClockAccepted',
    ],
  },
  {
    value: 'alerts',
    label: 'Alerts',
    hint: 'alerts that began and ended, webhooks, and what was delivered to them',
    isChange: true,
    types: ['AlertRaised', 'AlertResolved', 'WebhookAdded', 'WebhookRemoved', 'AlertDelivered', 'AlertDeliveryFailed'],
  },
  {
    value: 'audit',
    label: 'Audit',
    hint: 'legal holds, starts and stops of nodes, verifications, evidence, exports, imports, forgotten callers',
    isChange: true,
    types: [
      'HoldPlaced',
      'HoldLifted',
      'NodeStarted',
      'NodeStopped',
      'VerificationMade',
      'EvidenceMade',
      'RequestsExported',
      'ImportBegun',
      'CallersForgotten',
    ],
  },
  {
    value: 'models',
    label: 'Models and prices',
    hint: 'available models and their prices',
    isChange: true,
    types: ['ModelDescribed', 'ModelsListed', 'PricesPublished'],
  },
  {
    value: 'tokens',
    label: 'Token refreshes',
    hint: 'per account, every few hours',
    isChange: false,
    types: ['TokenRefreshClaimed', 'TokensRefreshed', 'TokenRefreshFailed'],
  },
  {
    value: 'usage',
    label: 'Usage samples',
    hint: 'usage reported by the provider',
    isChange: false,
    types: ['AccountUsageObserved'],
  },
  {
    value: 'coolDowns',
    label: 'Cool-downs',
    hint: 'accounts that failed are skipped for a moment',
    isChange: false,
    types: ['AccountsCooled', 'AccountRecovered'],
  },
  {
    value: 'requests',
    label: 'Requests',
    hint: 'completed, refused and imported requests',
    isChange: false,
    types: ['RequestAdmitted', 'RequestCompleted', 'RequestRefused', 'RefusalsCounted', 'RequestImported'],
  },
];

export const typesOf = (kinds: readonly string[]): string[] =>
  EVENT_KINDS.filter(({ value }) => kinds.includes(value)).flatMap(({ types }) => types);

/** Kinds that are shown by default. */
export const CHANGES: readonly string[] = EVENT_KINDS.filter(({ isChange }) => isChange).map(({ value }) => value);

export const kindOf = (type: string): EventKind | undefined => EVENT_KINDS.find(({ types }) => types.includes(type));

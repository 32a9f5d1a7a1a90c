/** A kind of events that people look for together, and the types of the log that belong to it. */
export interface EventKind {
  readonly value: string;
  readonly label: string;
  readonly hint: string;
  /** Whether the page shows it unless it is told otherwise: the others are many, and seldom what one looks for. */
  readonly isChange: boolean;
  readonly types: readonly string[];
}

/** Every type of the registry is in one of them: a test sees to it. */
export const EVENT_KINDS: readonly EventKind[] = [
  {
    value: 'accounts',
    label: 'Accounts',
    hint: 'linked, imported, paused, deactivated, deleted',
    isChange: true,
    types: [
      'AccountImported',
      'AccountTokensReplaced',
      'AccountPlanChanged',
      'AccountPaused',
      'AccountReactivated',
      'AccountDeactivated',
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
      'ApiKeyExpiryChanged',
      'ApiKeyLimitsChanged',
      'ApiKeyActivated',
      'ApiKeyDeactivated',
      'ApiKeyUsageReset',
      'ApiKeyRegenerated',
      'ApiKeyDeleted',
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
    types: ['SessionBegun', 'SessionTotpVerified', 'SessionEnded', 'SignInFailed', 'SignInsThrottled'],
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
    value: 'requests',
    label: 'Requests',
    hint: 'completed and refused requests',
    isChange: false,
    types: ['RequestAdmitted', 'RequestCompleted', 'RequestRefused', 'RefusalsCounted'],
  },
];

export const typesOf = (kinds: readonly string[]): string[] =>
  EVENT_KINDS.filter(({ value }) => kinds.includes(value)).flatMap(({ types }) => types);

/** What is shown when nothing is said. */
export const CHANGES: readonly string[] = EVENT_KINDS.filter(({ isChange }) => isChange).map(({ value }) => value);

export const kindOf = (type: string): EventKind | undefined => EVENT_KINDS.find(({ types }) => types.includes(type));

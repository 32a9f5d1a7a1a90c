/** The classes of OCSF 1.3 (https://schema.ocsf.io/1.3.0) that events are mapped to, with the numbers of their activities. */
export const OCSF_VERSION = '1.3.0';

export const API_ACTIVITY = {
  name: 'API Activity',
  uid: 6003,
  category: { name: 'Application Activity', uid: 6 },
  activities: { Create: 1, Read: 2, Update: 3, Delete: 4 },
} as const;

export const AUTHENTICATION = {
  name: 'Authentication',
  uid: 3002,
  category: { name: 'Identity & Access Management', uid: 3 },
  activities: { Logon: 1, Logoff: 2 },
} as const;

export const ACCOUNT_CHANGE = {
  name: 'Account Change',
  uid: 3001,
  category: { name: 'Identity & Access Management', uid: 3 },
  activities: {
    Create: 1,
    Enable: 2,
    'Password Change': 3,
    Disable: 5,
    Delete: 6,
    'Attach Policy': 7,
    'MFA Factor Enable': 10,
    'MFA Factor Disable': 11,
    Other: 99,
  },
} as const;

export type ApiActivity = keyof (typeof API_ACTIVITY)['activities'];
export type AuthenticationActivity = keyof (typeof AUTHENTICATION)['activities'];
export type AccountChangeActivity = keyof (typeof ACCOUNT_CHANGE)['activities'];

/** What an event of svc is in OCSF. */
export type OcsfMapping =
  | { readonly class: typeof API_ACTIVITY; readonly activity: ApiActivity; readonly failed?: true }
  | { readonly class: typeof AUTHENTICATION; readonly activity: AuthenticationActivity; readonly failed?: true }
  | {
      readonly class: typeof ACCOUNT_CHANGE;
      readonly activity: AccountChangeActivity;
      /** The field of the data that names the changed account; without one it is the built-in administrator. */
      readonly user?: string;
    };

const api = (activity: ApiActivity): OcsfMapping => ({ class: API_ACTIVITY, activity });
const refused = (activity: ApiActivity): OcsfMapping => ({ class: API_ACTIVITY, activity, failed: true });
const signIn = (activity: AuthenticationActivity): OcsfMapping => ({ class: AUTHENTICATION, activity });
const failedSignIn: OcsfMapping = { class: AUTHENTICATION, activity: 'Logon', failed: true };
const operator = (activity: AccountChangeActivity): OcsfMapping => ({
  class: ACCOUNT_CHANGE,
  activity,
  user: 'operatorId',
});
const apiKey = (activity: AccountChangeActivity): OcsfMapping => ({ class: ACCOUNT_CHANGE, activity, user: 'keyId' });
const token = (activity: AccountChangeActivity): OcsfMapping => ({ class: ACCOUNT_CHANGE, activity, user: 'tokenId' });
const builtIn = (activity: AccountChangeActivity): OcsfMapping => ({ class: ACCOUNT_CHANGE, activity });

/** People, API keys and tokens are accounts; who signs in authenticates. */
const MAPPINGS: Readonly<Record<string, OcsfMapping>> = {
  SessionBegun: signIn('Logon'),
  SessionTotpVerified: signIn('Logon'),
  SessionReauthenticated: signIn('Logon'),
  PasskeyUsed: signIn('Logon'),
  PasskeyCounterRegressed: failedSignIn,
  SessionEnded: signIn('Logoff'),
  SignInFailed: failedSignIn,
  OperatorSignInFailed: failedSignIn,
  SignInsThrottled: failedSignIn,

  OperatorInvited: operator('Create'),
  OperatorRegistered: operator('Create'),
  OperatorInvitationAccepted: operator('Enable'),
  OperatorEnabled: operator('Enable'),
  OperatorDisabled: operator('Disable'),
  OperatorRemoved: operator('Delete'),
  OperatorForgotten: operator('Other'),
  OperatorRoleChanged: operator('Attach Policy'),
  OperatorPasswordSet: operator('Password Change'),
  OperatorTotpConfigured: operator('MFA Factor Enable'),
  OperatorTotpDisabled: operator('MFA Factor Disable'),
  OperatorPasskeyAdded: operator('MFA Factor Enable'),
  OperatorPasskeyRemoved: operator('MFA Factor Disable'),
  OperatorPasskeyRenamed: operator('Other'),
  OperatorRecoveryCodesMade: operator('Other'),
  OperatorRecoveryCodeUsed: operator('Other'),
  OperatorInvitationRenewed: operator('Other'),
  OperatorProfileChanged: operator('Other'),
  OperatorIdentityLinked: operator('Other'),
  DashboardPasswordSet: builtIn('Password Change'),
  DashboardPasswordChanged: builtIn('Password Change'),
  DashboardPasswordRemoved: builtIn('Disable'),
  TotpConfigured: builtIn('MFA Factor Enable'),
  TotpDisabled: builtIn('MFA Factor Disable'),

  ApiKeyCreated: apiKey('Create'),
  ApiKeyActivated: apiKey('Enable'),
  ApiKeyDeactivated: apiKey('Disable'),
  ApiKeyDeleted: apiKey('Delete'),
  ApiKeyRegenerated: apiKey('Password Change'),
  ApiKeyRenamed: apiKey('Other'),
  ApiKeyModelsChanged: apiKey('Other'),
  ApiKeyRegionsChanged: apiKey('Other'),
  ApiKeyExpiryChanged: apiKey('Other'),
  ApiKeyLimitsChanged: apiKey('Other'),
  ApiKeyUsageReset: apiKey('Other'),
  ApiKeyOwnerChanged: apiKey('Other'),
  ApiKeyTeamChanged: apiKey('Other'),
  ManagementTokenCreated: token('Create'),
  ManagementTokenRevoked: token('Delete'),

  RequestAdmitted: api('Create'),
  RequestCompleted: api('Create'),
  RequestRefused: refused('Create'),
  RefusalsCounted: refused('Create'),
  ActionDenied: refused('Update'),
  ManagementTokenUsed: api('Read'),
  RequestsExported: api('Read'),
  EvidenceMade: api('Read'),
  VerificationMade: api('Read'),
};

/** By the last word of the name, which says what happened. */
const CREATED = /(?:Imported|Created|Begun|Placed|Allowed|Published|Described|Archived|Started|Accepted)$/;
const DELETED = /(?:Deleted|Removed|Revoked|Lifted|Forgotten)$/;

/** The mapping of an event type; also of types that this version does not know. */
export const ocsfMappingOf = (type: string): OcsfMapping =>
  MAPPINGS[type] ?? api(CREATED.test(type) ? 'Create' : DELETED.test(type) ? 'Delete' : 'Update');

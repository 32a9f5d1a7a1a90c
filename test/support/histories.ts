import fc from 'fast-check';
import { type Instant, instant, microDollars, position, type TeamId } from '../../src/domain/core/brands.ts';
import type { KnownEvent } from '../../src/domain/eventTypes.ts';
import { limitTypeNames } from '../../src/domain/limits/limitTypes.ts';
import { limitWindowNames } from '../../src/domain/limits/limitWindows.ts';
import type { RecordedEvent } from '../../src/eventLog/eventLog.ts';
import {
  accountId,
  HOUR,
  hash,
  importedAccount,
  ip,
  keyId,
  later,
  limitRule,
  NOW,
  passwordHash,
  sealed,
  tokens,
  uuid,
} from './specification.ts';

// Histories of three accounts, three keys and two models, so that most events concern resources that exist.

type Kinds = { [Type in KnownEvent['type']]: fc.Arbitrary<Extract<KnownEvent, { type: Type }>['data']> };

const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const orAbsent = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
/** Without undefined fields, as after a round trip through JSON. */
const record = <Fields extends Record<string, fc.Arbitrary<unknown>>>(fields: Fields) =>
  fc.record(fields).map((data) => JSON.parse(JSON.stringify(data)) as typeof data);

const account = fc.constantFrom(1, 2, 3).map(accountId);
const key = fc.constantFrom(1, 2, 3).map(keyId);
const id = fc.integer({ min: 1, max: 6 }).map(uuid);
const owner = fc.constantFrom('Ada', 'Grace');
const team = fc.constantFrom(7, 8).map((n) => uuid(n) as TeamId);
const model = fc.constantFrom('gpt-5', 'gpt-5.5');
const region = fc.constantFrom('eu', 'us');
const moment = fc.integer({ min: -HOUR, max: 100 * HOUR }).map((ms) => later(ms));
/** Few, so that alerts begin again and end. */
const alertRule = fc.constantFrom('account_lost', 'pool_low');
const alertKey = fc.constantFrom('account_lost account-1', 'account_lost account-2', 'pool_low');
const digit = fc.constantFrom('a', 'b', 'c');
const amount = fc.nat(100_000);
const address = fc.constantFrom('10.0.0.1', '10.0.0.2', '2001:db8::7');
const status = fc.constantFrom('active', 'paused', 'deactivated');
const plan = fc.constantFrom('plus', 'pro');
const operatorId = fc.constantFrom('op_1', 'op_2');
const operator = record({ operatorId });
const profile = { name: digit.map(sealed), email: digit.map(sealed) };
const invitation = { invitationHash: digit.map(hash), expiresAt: moment };
const role = fc.constantFrom('administrator', 'operator', 'auditor', 'member');
const archivedDay = fc.constantFrom('2026-11-01', '2026-11-02');
const archiveFile = record({ name: digit, bytes: fc.nat(1_000), sha256: digit.map(hash) });

const imported = fc
  .record({ accountId: account, linkId: orAbsent(id), name: digit, planType: plan })
  .map(({ accountId: who, linkId, name, planType }) =>
    importedAccount({ accountId: who, tokens: tokens(name), planType, ...(linkId !== undefined && { linkId }) }),
  );
const rules = fc.array(
  fc
    .record({
      id: fc.integer({ min: 1, max: 4 }),
      limitType: fc.constantFrom(...limitTypeNames),
      limitWindow: fc.constantFrom(...limitWindowNames),
      modelFilter: orNull(model),
    })
    .map(limitRule),
  { maxLength: 3 },
);
const secret = digit.map((name) => ({ hash: hash(name), prefix: `sk-svc-${name}` }));
const window = orNull(
  record({
    usedPercent: fc.integer({ min: 0, max: 120 }),
    resetAt: orNull(moment),
    windowMinutes: orNull(fc.constant(300)),
  }),
);
const decision = { decidedAt: fc.nat(100).map(position), asOf: moment, v: fc.constant(2) };
const requested = {
  requestId: fc.integer({ min: 1, max: 8 }).map((n) => `req_${n}`),
  keyId: orNull(key),
  route: fc.constant('/v1/responses'),
  model,
  effort: orNull(fc.constant('high')),
  requestedAt: moment,
  owner: orAbsent(owner),
  team: orAbsent(team),
  admission: orAbsent(
    record({
      ...decision,
      estimate: record({ inputTokens: amount, outputTokens: amount, costMicroDollars: amount }),
      reserved: fc.constant([] as [string, string, number, number][]),
    }),
  ),
};
const tokenUsage = record({
  inputTokens: amount,
  cachedInputTokens: amount,
  outputTokens: amount,
  reasoningTokens: amount,
  isEstimated: fc.boolean(),
});
const attempt = record({
  ...decision,
  accountId: account,
  startedAt: moment,
  endedAt: moment,
  outcome: fc.constantFrom('ok', 'quota', 'provider_error', 'unauthorized', 'unreachable', 'client_gone'),
  code: orAbsent(fc.constant('usage_limit_reached')),
  limitedUntil: orAbsent(moment),
  isRepeat: orAbsent(fc.constant(true as const)),
  providerStatus: orAbsent(fc.constantFrom(401, 500)),
  errno: orAbsent(fc.constant('ECONNRESET')),
});
const listed = model.map((slug) => ({ slug, version: `version of ${slug}` }));

const kinds = {
  AccountImported: imported,
  AccountTokensReplaced: imported,
  AccountPlanChanged: record({ accountId: account, from: plan, to: plan }),
  AccountPaused: record({ accountId: account, from: status }),
  AccountReactivated: record({ accountId: account, from: status }),
  AccountDeactivated: record({
    accountId: account,
    from: status,
    reason: fc.constant('sign in again'),
    code: fc.constant('token_revoked'),
  }),
  AccountDeleted: record({ accountId: account }),
  AccountProxyChanged: record({
    accountId: account,
    from: orNull(fc.constant('proxy.example:3128')),
    to: orNull(fc.constant('proxy.example:1080')),
    proxy: orNull(fc.constant(sealed('proxy'))),
  }),
  AccountLinkBegun: record({
    linkId: id,
    browser: orNull(fc.constant({ redirectUri: 'http://127.0.0.1:1455/auth/callback' })),
    device: orNull(fc.constant({ secrets: sealed('device'), intervalMs: 5_000 })),
    accountId: orNull(account),
    onDuplicate: fc.constantFrom('refuse', 'replace'),
    expiresAt: moment,
    node: fc.constant('n1'),
  }),
  AccountLinkCodeReceived: record({ linkId: id, by: fc.constant('paste') }),
  AccountLinkSkipped: record({ linkId: id, accountId: account }),
  AccountLinkFailed: record({ linkId: id, code: fc.constant('wrong_account'), accountId: orNull(account) }),
  AccountLinkCancelled: record({ linkId: id }),
  AccountLinkExpired: record({ linkId: id }),
  TokenRefreshClaimed: record({ accountId: account, claimId: id, expiresAt: moment }),
  TokensRefreshed: record({
    accountId: account,
    claimId: id,
    tokens: digit.map((name) => tokens(name)),
    region: orNull(region),
  }),
  TokenRefreshFailed: record({
    accountId: account,
    claimId: id,
    code: fc.constant('invalid_grant'),
    isPermanent: fc.boolean(),
  }),
  AccountsCooled: record({
    number: fc.integer({ min: 1, max: 50 }),
    requests: fc.array(
      record({
        requestId: fc.constantFrom('req_1', 'req_2'),
        cooled: fc.array(
          record({
            cause: fc.constantFrom('throttled', 'unreachable'),
            failures: fc.nat(3),
            accounts: fc.array(fc.tuple(account, moment, moment), { minLength: 1, maxLength: 2 }),
          }),
          { minLength: 1, maxLength: 2 },
        ),
      }),
      { minLength: 1, maxLength: 2 },
    ),
  }),
  AccountRecovered: record({
    number: fc.integer({ min: 1, max: 50 }),
    accountId: account,
    requestId: fc.constant('req_1'),
  }),
  AccountUsageObserved: record({ accountId: account, primary: window, secondary: window, credits: fc.constant(null) }),
  ApiKeyCreated: fc
    .record({
      keyId: key,
      secret,
      rules,
      allowedModels: orNull(fc.array(model)),
      expiresAt: orNull(moment),
      used: orAbsent(
        fc.array(fc.record({ ruleId: fc.integer({ min: 1, max: 3 }), amount: fc.nat(100) }), { maxLength: 2 }),
      ),
    })
    .map(({ secret: made, ...rest }) => ({ name: 'build', ...made, ...rest })),
  ApiKeyRenamed: record({ keyId: key, from: digit, to: digit }),
  ApiKeyModelsChanged: record({ keyId: key, name: digit, from: fc.constant(null), to: orNull(fc.array(model)) }),
  ApiKeyRegionsChanged: record({ keyId: key, name: digit, from: fc.constant(null), to: orNull(fc.array(region)) }),
  ApiKeyExpiryChanged: record({ keyId: key, name: digit, from: fc.constant(null), to: orNull(moment) }),
  ApiKeyActivated: record({ keyId: key, name: digit }),
  ApiKeyDeactivated: record({ keyId: key, name: digit }),
  ApiKeyLimitsChanged: record({ keyId: key, name: digit, from: rules, to: rules }),
  ApiKeyUsageReset: record({ keyId: key, name: digit }),
  ApiKeyRegenerated: record({ keyId: key, name: digit, from: secret, to: secret }),
  ApiKeyOwnerChanged: record({ keyId: key, name: digit, from: fc.constant(null), to: orNull(owner) }),
  ApiKeyTeamChanged: record({ keyId: key, name: digit, from: fc.constant(null), to: orNull(team) }),
  ApiKeyDeleted: record({ keyId: key, name: digit }),
  TeamCreated: record({ teamId: team, name: digit, rules }),
  TeamRenamed: record({ teamId: team, from: digit, to: digit }),
  TeamLimitsChanged: record({ teamId: team, name: digit, from: rules, to: rules }),
  TeamUsageReset: record({ teamId: team, name: digit }),
  TeamDeleted: record({ teamId: team, name: digit }),
  OwnerLimitsChanged: record({ owner, from: rules, to: rules }),
  OwnerUsageReset: record({ owner }),
  NodeStarted: record({
    node: fc.constantFrom('n1', 'n2'),
    boot: fc.constantFrom('b1', 'b2', 'b3'),
    version: fc.constant('0.1.0'),
    previous: orNull(record({ boot: fc.constantFrom('b1', 'b2'), stoppedAt: orNull(moment) })),
  }),
  NodeStopped: record({
    node: fc.constantFrom('n1', 'n2'),
    boot: fc.constantFrom('b1', 'b2', 'b3'),
    reason: fc.constantFrom('signal', 'command', 'failure'),
    detail: orNull(fc.constant('SIGTERM')),
  }),
  VerificationMade: record({
    node: fc.constantFrom('n1', 'n2'),
    from: fc.nat(100).map(position),
    to: fc.nat(100).map(position),
    events: fc.nat(100),
    ok: fc.boolean(),
    findings: fc.nat(3),
    kinds: fc.constant([]),
    root: orNull(digit.map(hash)),
  }),
  EvidenceMade: record({
    node: fc.constantFrom('n1', 'n2'),
    filter: record({ since: orAbsent(moment), subject: orAbsent(fc.constant('account-1')) }),
    events: fc.nat(100),
    treeSize: fc.nat(100),
    root: digit.map(hash),
    bytes: fc.nat(100_000),
    sha256: digit.map(hash),
  }),
  CallersForgotten: record({
    node: fc.constantFrom('n1', 'n2'),
    months: fc.constant(['2026-10']),
    keys: orAbsent(fc.constant(['k1'])),
  }),
  ImportBegun: record({
    importId: fc.constant(uuid(1)),
    program: fc.constant('codex-lb'),
    schema: fc.constant('b'),
    accounts: fc.nat(9),
    apiKeys: fc.nat(9),
    allowedIps: fc.nat(9),
    settings: fc.constant(['apiKeyAuthEnabled']),
    requests: fc.nat(9),
  }),
  RequestsExported: record({
    node: fc.constantFrom('n1', 'n2'),
    format: fc.constantFrom('csv' as const, 'json' as const),
    filter: record({ since: orAbsent(moment), statuses: orAbsent(fc.constant(['error'])) }),
    matching: fc.nat(100),
  }),
  AlertRaised: record({
    alertId: id,
    rule: alertRule,
    key: alertKey,
    subject: orNull(account.map((who) => `account-${who}`)),
    node: orNull(fc.constantFrom('n1', 'n2')),
    text: fc.constant('Account account-1 is deactivated.'),
  }),
  AlertResolved: record({ alertId: id, rule: alertRule, key: alertKey }),
  WebhookAdded: record({
    webhookId: id,
    name: digit,
    url: digit.map(sealed),
    origin: fc.constant('https://hooks.example'),
    secret: digit.map(sealed),
    format: fc.constantFrom('json' as const, 'slack' as const),
    rules: fc.subarray(['account_lost', 'pool_low'] as const),
  }),
  WebhookRemoved: record({ webhookId: id, name: digit }),
  AlertDelivered: record({
    webhookId: id,
    alertId: id,
    isRecovery: fc.boolean(),
    attempts: fc.integer({ min: 1, max: 9 }),
    status: fc.constantFrom(200, 204),
  }),
  AlertDeliveryFailed: record({
    webhookId: id,
    alertId: id,
    isRecovery: fc.boolean(),
    reason: fc.constant('it responded with status 500'),
  }),
  HoldPlaced: record({
    holdId: id,
    subject: orNull(account.map((who) => `account-${who}`)),
    from: orNull(moment),
    until: orNull(moment),
    reason: fc.constant('case 7'),
  }),
  HoldLifted: record({ holdId: id, reason: fc.constant('case 7 is closed') }),
  ManagementTokenCreated: record({
    tokenId: id,
    name: digit,
    role,
    ownerId: operatorId,
    scopes: fc.constantFrom([], ['irreversible' as const]),
    hash: digit.map(hash),
    expiresAt: orNull(moment),
  }),
  ManagementTokenRevoked: record({ tokenId: id, name: digit }),
  ManagementTokenUsed: record({ tokenId: id }),
  OperatorInvited: record({ operatorId, ...profile, role, ...invitation }),
  OperatorInvitationRenewed: record({ operatorId, ...invitation }),
  OperatorInvitationAccepted: record({ operatorId, method: fc.constant('password') }),
  OperatorRegistered: record({ operatorId, ...profile, role }),
  OperatorIdentityLinked: record({ operatorId, identity: digit.map(sealed) }),
  OperatorPasswordSet: record({ operatorId, passwordId: id, passwordHash: digit.map(passwordHash) }),
  OperatorProfileChanged: record({ operatorId, ...profile }),
  OperatorRoleChanged: record({ operatorId, from: role, to: role, by: orAbsent(fc.constant('claim' as const)) }),
  OperatorDisabled: operator,
  OperatorEnabled: operator,
  OperatorRemoved: operator,
  OperatorForgotten: operator,
  OperatorTotpConfigured: record({ operatorId, totpId: id, secret: digit.map(sealed), step: amount }),
  OperatorTotpDisabled: record({ operatorId, totpId: id }),
  OperatorRecoveryCodesMade: record({ operatorId, codes: fc.array(digit.map(hash), { maxLength: 3 }) }),
  OperatorRecoveryCodeUsed: record({ operatorId, code: digit.map(hash) }),
  OperatorPasskeyAdded: record({
    operatorId,
    passkeyId: id,
    name: digit.map(sealed),
    credentialDigest: digit.map(hash),
    credentialId: digit.map(sealed),
    publicKey: digit.map(sealed),
    counter: amount,
    transports: fc.constantFrom([], ['usb']),
  }),
  OperatorPasskeyRenamed: record({ operatorId, passkeyId: id, name: digit.map(sealed) }),
  OperatorPasskeyRemoved: record({ operatorId, passkeyId: id }),
  PasskeyUsed: record({
    operatorId,
    passkeyId: id,
    counter: amount,
    purpose: fc.constantFrom('sign_in', 'reauthentication'),
    challengeHash: digit.map(hash),
  }),
  PasskeyCounterRegressed: record({ operatorId, passkeyId: id, counter: amount, lastCounter: amount }),
  OperatorSignInFailed: record({ operatorId, method: fc.constantFrom('password', 'totp', 'passkey') }),
  ActionDenied: record({
    operatorId,
    action: fc.constant('GET /api/history'),
    minute: orNull(moment),
    count: fc.integer({ min: 1, max: 9 }),
  }),
  SessionReauthenticated: record({ sessionId: id, totp: orAbsent(record({ id, step: amount })) }),
  IpAllowed: record({ ip: address.map(ip) }),
  IpRevoked: record({ ip: address.map(ip) }),
  DashboardPasswordSet: record({ passwordId: id, passwordHash: digit.map(passwordHash) }),
  DashboardPasswordChanged: record({ passwordId: id, passwordHash: digit.map(passwordHash) }),
  DashboardPasswordRemoved: record({ passwordId: id }),
  TotpConfigured: record({ totpId: id, secret: digit.map(sealed), step: amount }),
  TotpDisabled: record({ totpId: id }),
  SessionBegun: record({
    sessionId: id,
    passwordId: orNull(id),
    totpId: orNull(id),
    replaces: orNull(id),
    expiresAt: moment,
    operatorId: orAbsent(operatorId),
    method: orAbsent(fc.constantFrom('password', 'oidc')),
    authenticatedAt: orAbsent(moment),
    address: orAbsent(digit.map(sealed)),
    userAgent: orAbsent(orNull(digit.map(sealed))),
    passkeyId: orAbsent(id),
  }),
  SessionTotpVerified: record({ sessionId: id, replaces: id, totpId: id, step: amount }),
  SessionEnded: record({ sessionId: id }),
  SignInFailed: record({ method: fc.constant('password'), address }),
  SignInsThrottled: record({ address, minute: moment, count: fc.integer({ min: 1, max: 9 }) }),
  SettingsChanged: record({
    from: fc.constant({}),
    to: record({
      stickyThreadsEnabled: orAbsent(fc.boolean()),
      routingStrategy: orAbsent(fc.constantFrom('usage_weighted', 'round_robin')),
      totpRequiredOnLogin: orAbsent(fc.boolean()),
    }),
  }),
  RequestAdmitted: record({ ...requested, accountId: orNull(account) }),
  RequestCompleted: record({
    ...requested,
    announcements: orAbsent(fc.integer({ min: 1, max: 3 })),
    status: fc.constantFrom('200', '200', '200', 'error', '429'),
    errorCode: fc.constant(null),
    errorMessage: fc.constant(null),
    accountId: orNull(account),
    latencyMs: amount,
    firstByteMs: orNull(amount),
    usage: orNull(tokenUsage),
    costMicroDollars: orNull(amount.map(microDollars)),
    priceVersion: fc.constant('2026-11-01'),
    pin: orAbsent(record({ digest: fc.constantFrom('p1', 'p2', 'p3', 'p4'), isFallback: fc.boolean() })),
    attempts: fc.array(attempt, { maxLength: 2 }),
  }),
  RequestImported: record({
    importId: fc.constant(uuid(1)),
    program: fc.constant('codex-lb'),
    requestId: fc.nat(1_000_000).map((row) => `resp_${row}:codex-lb:${row}`),
    keyId: orNull(key),
    accountId: orNull(account),
    model: fc.constantFrom('gpt-5.5', 'gpt-5.4'),
    effort: orNull(fc.constant('low')),
    requestedAt: moment,
    transport: orAbsent(fc.constant('websocket')),
    client: orAbsent(fc.constant('codex_exec')),
    status: fc.constantFrom('200', 'error'),
    errorCode: orNull(fc.constant('no_accounts')),
    errorMessage: orNull(fc.constant('no account')),
    latencyMs: amount,
    firstByteMs: orNull(amount),
    usage: orNull(tokenUsage),
    costMicroDollars: orNull(amount.map(microDollars)),
  }),
  RequestRefused: record({
    ...requested,
    status: fc.constant('429'),
    errorCode: fc.constant('rate_limit_exceeded'),
    errorMessage: fc.constant('the limit is used up'),
    latencyMs: amount,
  }),
  RefusalsCounted: record({
    keyId: orNull(key),
    address: orNull(address),
    minute: moment,
    counts: fc.constant({ rate_limit_exceeded: 7 }),
  }),
  ClockJumped: record({ node: fc.constantFrom('n1', 'n2'), from: moment, to: moment }),
  ClockAccepted: record({ node: fc.constantFrom('n1', 'n2'), from: moment, to: moment }),
  EventParked: record({
    eventId: fc.uuid(),
    eventType: fc.constantFrom('RequestCompleted', 'SessionBegun'),
    hash: digit.map(hash),
    bytes: fc.nat(2_000_000),
    reason: fc.constant('too large'),
  }),
  LossAccepted: record({
    of: fc.constantFrom('log', 'outbox'),
    known: record({ position: fc.nat(100).map(position), hash: orNull(digit.map(hash)), time: orNull(moment) }),
    found: record({ position: fc.nat(100).map(position), hash: orNull(digit.map(hash)), time: orNull(moment) }),
    lost: orNull(fc.nat(100)),
  }),
  DayArchived: record({
    day: archivedDay,
    segment: fc.integer({ min: 1, max: 5 }),
    events: fc.integer({ min: 1, max: 100 }),
    first: fc.nat(100).map(position),
    last: fc.nat(100).map(position),
    upTo: fc.nat(100).map(position),
    root: digit.map(hash),
    file: archiveFile,
    seal: digit.map(hash),
  }),
  ArchiveRestored: record({
    day: archivedDay,
    segment: fc.integer({ min: 1, max: 5 }),
    events: fc.integer({ min: 1, max: 100 }),
    file: archiveFile,
  }),
  CheckpointKeyLossAccepted: record({
    publicKey: digit.map(hash),
    checkpoint: record({ origin: fc.constant('svc/0123456789abcdef'), size: fc.nat(100), root: digit.map(hash) }),
  }),
  VaultLossAccepted: record({ isNewVault: fc.boolean(), accountIds: fc.array(account, { maxLength: 2 }) }),
  ModelDescribed: listed.map(({ slug, version }) => ({ slug, version, entry: JSON.stringify({ slug }) })),
  ModelsListed: record({ planType: plan, from: fc.constant([]), to: fc.array(listed, { maxLength: 2 }) }),
  PricesPublished: record({
    from: fc.constant(null),
    to: digit,
    models: fc.constant([{ model: 'gpt-5*', input: 1.25, cachedInput: 0.125, output: 10 }]),
  }),
} satisfies Record<KnownEvent['type'], fc.Arbitrary<unknown>> as Kinds;

/** Weights of event types that matter most to a fold; 1 for all others. */
const WEIGHTS: Partial<Record<KnownEvent['type'], number>> = {
  RequestCompleted: 12,
  RequestAdmitted: 3,
  AccountImported: 4,
  ApiKeyCreated: 4,
  AccountUsageObserved: 3,
};

const anyEvent = fc.oneof(
  ...Object.entries(kinds).map(([type, arbitrary]) => ({
    weight: WEIGHTS[type as KnownEvent['type']] ?? 1,
    arbitrary: fc.record({
      type: fc.constant(type),
      data: arbitrary as fc.Arbitrary<unknown>,
      /** Clocks of nodes differ. */
      clockMs: fc.integer({ min: -90_000, max: 90_000 }),
    }),
  })),
);

/** Random events of all types, as a fold receives them. Most are plausible; a fold must tolerate those that are not. */
export const anyHistory = (events: { readonly minLength?: number; readonly maxLength: number }) =>
  fc.array(anyEvent, { ...events, size: 'max' }).map((drafts) => {
    const revisions = new Map<string, number>();
    return drafts.map(({ type, data, clockMs }, index) => {
      const stream = streamOf(type, data);
      const revision = (revisions.get(stream) ?? -1) + 1;
      revisions.set(stream, revision);
      const time: Instant = instant(NOW + index * 60_000 + clockMs);
      return { type, data, position: position(index + 1), time, stream, revision } as RecordedEvent;
    });
  });

/** Simplified stream names: each stream has one kind of subject. */
function streamOf(type: string, data: unknown): string {
  const {
    accountId: ofAccount,
    keyId: ofKey,
    teamId: ofTeam,
    owner: ofOwner,
    linkId,
  } = data as Record<string, string | undefined>;
  if (type === 'RequestImported') return 'importedRequests-codex-lb';
  if (['Request', 'Refusals', 'AccountsCooled', 'AccountRecovered'].some((start) => type.startsWith(start)))
    return 'requests-n1.b1_20260115';
  if (type.startsWith('Session') || type.startsWith('SignIn')) return 'sessions-n1.b1_20260115';
  if (type.startsWith('AccountLink')) return `accountLink-${linkId}`;
  if (type.startsWith('Token')) return `accountTokens-${ofAccount}`;
  if (type.startsWith('AccountUsage')) return `accountUsage-${ofAccount}_202601`;
  if (type.startsWith('Account')) return `account-${ofAccount}`;
  if (type.startsWith('ApiKey')) return `apiKey-${ofKey}`;
  if (type.startsWith('Team')) return `team-${ofTeam}`;
  if (type.startsWith('Owner')) return `owner-${ofOwner}`;
  if (type.startsWith('Loss') || type.startsWith('VaultLoss')) return 'losses-main';
  if (type.startsWith('Hold')) return 'holds-main';
  if (type.startsWith('Node')) return 'nodes-n1.b1_20260115';
  if (['VerificationMade', 'EvidenceMade', 'RequestsExported', 'CallersForgotten'].includes(type))
    return 'audits-n1.b1_20260115';
  if (type === 'ImportBegun') return `import-${uuid(1)}`;
  if (type.startsWith('Ip')) return 'firewall-main';
  if (type.startsWith('Model')) return 'modelCatalogue-main';
  return type.startsWith('Prices') ? 'pricing-main' : 'settings-main';
}

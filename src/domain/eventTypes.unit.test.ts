import { globSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fieldLines, recordedFieldLines } from '../../test/support/ci/eventFields.ts';
import { everyKind } from '../../test/support/everyKind.ts';
import {
  accountId,
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
  usageSample,
  usageWindow,
  uuid,
} from '../../test/support/specification.ts';
import { microDollars, position, type TeamId } from './core/brands.ts';
import { type EventDefinition, event } from './core/event.ts';
import { eventTypes, type KnownEvent, UnknownEventType, upcast } from './eventTypes.ts';

type Samples = { [Type in KnownEvent['type']]: Extract<KnownEvent, { type: Type }>['data'] };

const account = { accountId: accountId(1) };
const key = { keyId: keyId(1), name: 'build' };
const claim = { ...account, claimId: uuid(1) };
const decision = { decidedAt: position(7), asOf: NOW, v: 1 };
const requested = {
  requestId: 'req_1',
  keyId: keyId(1),
  route: '/v1/responses',
  model: 'gpt-5',
  effort: 'high',
  requestedAt: NOW,
  admission: {
    ...decision,
    estimate: { inputTokens: 10, outputTokens: 2_048, costMicroDollars: 20 },
    reserved: [['key', keyId(1), 1, 0]] as [string, string, number, number][],
  },
};

/** A sample of each event type: a type without one does not compile. */
const teamSample = { teamId: uuid(7) as TeamId, name: 'search' };
const samples: Samples = {
  AccountImported: importedAccount(),
  AccountTokensReplaced: importedAccount(),
  AccountPlanChanged: { ...account, from: 'plus', to: 'pro' },
  AccountPaused: { ...account, from: 'active' },
  AccountReactivated: { ...account, from: 'paused' },
  AccountDeactivated: { ...account, from: 'active', reason: 'sign in again', code: 'token_revoked' },
  AccountDeleted: account,
  AccountProxyChanged: { ...account, from: null, to: 'proxy.example:3128', proxy: sealed('proxy') },
  AccountLinkBegun: {
    linkId: uuid(1),
    browser: { redirectUri: 'http://127.0.0.1:1455/auth/callback' },
    device: { secrets: sealed('device'), intervalMs: 5_000 },
    accountId: accountId(1),
    onDuplicate: 'refuse',
    expiresAt: later(60_000),
    node: 'a',
  },
  AccountLinkCodeReceived: { linkId: uuid(1), by: 'paste' },
  AccountLinkSkipped: { linkId: uuid(1), accountId: accountId(1) },
  AccountLinkFailed: { linkId: uuid(1), code: 'wrong_account', accountId: accountId(2) },
  AccountLinkCancelled: { linkId: uuid(1) },
  AccountLinkExpired: { linkId: uuid(1) },
  TokenRefreshClaimed: { ...claim, expiresAt: later(60_000) },
  TokensRefreshed: { ...claim, tokens: tokens() },
  TokenRefreshFailed: { ...claim, code: 'invalid_grant', isPermanent: true },
  AccountUsageObserved: { ...account, ...usageSample(usageWindow(40), null) },
  AccountsCooled: {
    number: 3,
    requests: [
      {
        requestId: 'req_1',
        cooled: [{ cause: 'throttled', failures: 1, accounts: [[accountId(1), NOW, later(1_000)]] }],
      },
    ],
  },
  AccountRecovered: { number: 4, ...account, requestId: 'req_2' },
  ApiKeyCreated: {
    ...key,
    hash: hash('a'),
    prefix: 'sk-svc-aaaaaaaaa',
    allowedModels: null,
    expiresAt: null,
    rules: [limitRule()],
  },
  ApiKeyRenamed: { keyId: keyId(1), from: 'build', to: 'deploy' },
  ApiKeyModelsChanged: { ...key, from: null, to: ['gpt-5'] },
  ApiKeyRegionsChanged: { ...key, from: null, to: ['eu', 'us'] },
  ApiKeyExpiryChanged: { ...key, from: null, to: NOW },
  ApiKeyActivated: key,
  ApiKeyDeactivated: key,
  ApiKeyLimitsChanged: { ...key, from: [], to: [limitRule({ modelFilter: 'gpt-5' })] },
  ApiKeyUsageReset: key,
  ApiKeyRegenerated: {
    ...key,
    from: { hash: hash('a'), prefix: 'sk-svc-aaaaaaaaa' },
    to: { hash: hash('b'), prefix: 'sk-svc-bbbbbbbbb' },
  },
  ApiKeyOwnerChanged: { ...key, from: null, to: 'Ada' },
  ApiKeyTeamChanged: { ...key, from: uuid(7), to: uuid(8) },
  ApiKeyDeleted: key,
  TeamCreated: { ...teamSample, rules: [limitRule()] },
  TeamRenamed: { teamId: teamSample.teamId, from: 'research', to: 'search' },
  TeamLimitsChanged: { ...teamSample, from: [], to: [limitRule({ modelFilter: 'gpt-5' })] },
  TeamUsageReset: teamSample,
  TeamDeleted: teamSample,
  OwnerLimitsChanged: { owner: 'Ada', from: [limitRule()], to: [] },
  OwnerUsageReset: { owner: 'Ada' },
  NodeStarted: { node: 'a', boot: 'b2', version: '0.1.0', previous: { boot: 'b1', stoppedAt: null } },
  NodeStopped: { node: 'a', boot: 'b2', reason: 'signal', detail: 'SIGTERM' },
  VerificationMade: {
    node: 'a',
    from: position(1),
    to: position(1_000),
    events: 1_000,
    ok: false,
    findings: 2,
    kinds: ['edited'],
    root: hash('b'),
  },
  EvidenceMade: {
    node: 'a',
    filter: { since: NOW, subject: 'account-1' },
    events: 12,
    treeSize: 1_000,
    root: hash('b'),
    bytes: 60_000,
    sha256: hash('a'),
  },
  CallersForgotten: { node: 'a', months: ['2026-10'], keys: ['key_1'] },
  ImportBegun: {
    ...{ importId: uuid(1), program: 'codex-lb', schema: 'b', accounts: 1, apiKeys: 2, allowedIps: 0 },
    ...{ settings: ['apiKeyAuthEnabled'], requests: 0 },
  },
  RequestImported: {
    ...{ importId: uuid(1), program: 'codex-lb', requestId: 'resp_1:codex-lb:1', keyId: null, accountId: null },
    ...{ model: 'gpt-5.5', effort: null, requestedAt: NOW, status: 'error', errorCode: 'no_accounts' },
    ...{ errorMessage: null, latencyMs: 12, firstByteMs: null, usage: null, costMicroDollars: null },
  },
  RequestsExported: { node: 'a', format: 'csv', filter: { since: NOW, statuses: ['error'] }, matching: 12 },
  AlertRaised: {
    ...{ alertId: uuid(1), rule: 'account_lost', key: 'account_lost account-1', subject: 'account-1', node: null },
    text: 'Account account-1 is deactivated.',
  },
  AlertResolved: { alertId: uuid(1), rule: 'account_lost', key: 'account_lost account-1' },
  WebhookAdded: {
    ...{ webhookId: uuid(2), name: 'on call', url: sealed('a'), origin: 'https://hooks.example', secret: sealed('b') },
    ...{ format: 'slack', rules: ['account_lost'] },
  },
  WebhookRemoved: { webhookId: uuid(2), name: 'on call' },
  AlertDelivered: { webhookId: uuid(2), alertId: uuid(1), isRecovery: true, attempts: 2, status: 204 },
  AlertDeliveryFailed: {
    webhookId: uuid(2),
    alertId: uuid(1),
    isRecovery: false,
    reason: 'it responded with status 500',
  },
  HoldPlaced: { holdId: uuid(1), subject: 'account-1', from: NOW, until: later(60_000), reason: 'case 7' },
  HoldLifted: { holdId: uuid(1), reason: 'case 7 is closed' },
  ManagementTokenCreated: {
    tokenId: uuid(1),
    name: 'deploy',
    role: 'operator',
    ownerId: 'op_1',
    scopes: ['irreversible'],
    hash: hash('a'),
    expiresAt: later(60_000),
  },
  ManagementTokenRevoked: { tokenId: uuid(1), name: 'deploy' },
  ManagementTokenUsed: { tokenId: uuid(1) },
  OperatorInvited: {
    operatorId: 'op_1',
    name: sealed('name'),
    email: sealed('email'),
    role: 'auditor',
    invitationHash: hash('a'),
    expiresAt: later(60_000),
  },
  OperatorInvitationRenewed: { operatorId: 'op_1', invitationHash: hash('b'), expiresAt: later(60_000) },
  OperatorInvitationAccepted: { operatorId: 'op_1', method: 'password' },
  OperatorRegistered: { operatorId: 'op_2', name: sealed('name'), email: sealed('email'), role: 'member' },
  OperatorIdentityLinked: { operatorId: 'op_1', identity: sealed('identity') },
  OperatorPasswordSet: { operatorId: 'op_1', passwordId: uuid(1), passwordHash: passwordHash('a') },
  OperatorProfileChanged: { operatorId: 'op_1', name: sealed('name'), email: sealed('email') },
  OperatorRoleChanged: { operatorId: 'op_1', from: 'auditor', to: 'operator' },
  OperatorDisabled: { operatorId: 'op_1' },
  OperatorEnabled: { operatorId: 'op_1' },
  OperatorRemoved: { operatorId: 'op_1' },
  OperatorForgotten: { operatorId: 'op_1' },
  OperatorTotpConfigured: { operatorId: 'op_1', totpId: uuid(1), secret: sealed('totp'), step: 56_666_667 },
  OperatorTotpDisabled: { operatorId: 'op_1', totpId: uuid(1) },
  OperatorRecoveryCodesMade: { operatorId: 'op_1', codes: [hash('a'), hash('b')] },
  OperatorRecoveryCodeUsed: { operatorId: 'op_1', code: hash('a') },
  OperatorPasskeyAdded: {
    operatorId: 'op_1',
    passkeyId: uuid(1),
    name: sealed('name'),
    credentialDigest: hash('a'),
    credentialId: sealed('id'),
    publicKey: sealed('key'),
    counter: 0,
    transports: ['internal', 'hybrid'],
  },
  OperatorPasskeyRenamed: { operatorId: 'op_1', passkeyId: uuid(1), name: sealed('name') },
  OperatorPasskeyRemoved: { operatorId: 'op_1', passkeyId: uuid(1) },
  PasskeyUsed: {
    operatorId: 'op_1',
    passkeyId: uuid(1),
    counter: 3,
    purpose: 'sign_in',
    challengeHash: hash('a'),
  },
  PasskeyCounterRegressed: { operatorId: 'op_1', passkeyId: uuid(1), counter: 2, lastCounter: 3 },
  OperatorSignInFailed: { operatorId: 'op_1', method: 'recovery_code' },
  ActionDenied: { operatorId: 'op_1', action: 'DELETE /api/accounts/:id', minute: NOW, count: 3 },
  SessionReauthenticated: { sessionId: uuid(1), totp: { id: uuid(3), step: 56_666_667 } },
  IpAllowed: { ip: ip('10.0.0.1') },
  IpRevoked: { ip: ip('10.0.0.1') },
  DashboardPasswordSet: { passwordId: uuid(1), passwordHash: passwordHash('a') },
  DashboardPasswordChanged: { passwordId: uuid(2), passwordHash: passwordHash('b') },
  DashboardPasswordRemoved: { passwordId: uuid(1) },
  TotpConfigured: { totpId: uuid(1), secret: sealed('totp'), step: 56_666_667 },
  TotpDisabled: { totpId: uuid(1) },
  SessionBegun: {
    sessionId: uuid(1),
    passwordId: uuid(2),
    totpId: null,
    replaces: uuid(3),
    expiresAt: later(60_000),
    operatorId: 'op_1',
    method: 'password',
    address: sealed('address'),
    userAgent: null,
    passkeyId: uuid(4),
  },
  SessionTotpVerified: { sessionId: uuid(1), replaces: uuid(2), totpId: uuid(3), step: 56_666_667 },
  SessionEnded: { sessionId: uuid(1) },
  SignInFailed: { method: 'password', address: '10.0.0.1' },
  SignInsThrottled: { address: '10.0.0.1', minute: NOW, count: 12 },
  SettingsChanged: { from: { apiKeyAuthEnabled: false }, to: { apiKeyAuthEnabled: true } },
  RequestAdmitted: { ...requested, accountId: accountId(1) },
  RequestCompleted: {
    ...requested,
    status: '200',
    errorCode: null,
    errorMessage: null,
    accountId: accountId(1),
    latencyMs: 1_200,
    firstByteMs: 300,
    usage: { inputTokens: 10, cachedInputTokens: 0, outputTokens: 5, reasoningTokens: 1, isEstimated: false },
    costMicroDollars: microDollars(62),
    priceVersion: '2026-11-01',
    pin: { digest: 'digest', isFallback: false },
    attempts: [
      {
        ...decision,
        overlay: { cooling: [[accountId(2), later(500)]], turn: 3 },
        accountId: accountId(1),
        startedAt: NOW,
        endedAt: later(1_200),
        outcome: 'ok',
      },
    ],
  },
  ClockJumped: { node: 'a', from: NOW, to: later(-7_200_000) },
  ClockAccepted: { node: 'a', from: later(86_400_000), to: NOW },
  EventParked: {
    eventId: '00000000-0000-4000-8000-000000000001',
    eventType: 'RequestCompleted',
    hash: hash('a'),
    bytes: 1_048_577,
    reason: 'EventStoreDB accepts at most 1048576 bytes in one append',
  },
  LossAccepted: {
    of: 'log',
    known: { position: position(1_000), hash: hash('a'), time: NOW },
    found: { position: position(985), hash: hash('b'), time: NOW },
    lost: 15,
  },
  DayArchived: {
    day: '2026-11-01',
    segment: 1,
    events: 2_000,
    first: position(10),
    last: position(2_500),
    upTo: position(2_500),
    root: hash('r'),
    file: { name: 'requests-2026-11-01.1.svcarchive', bytes: 400_000, sha256: hash('f') },
    seal: hash('s'),
  },
  ArchiveRestored: {
    day: '2026-11-01',
    segment: 1,
    events: 2_000,
    file: { name: 'requests-2026-11-01.1.svcarchive', bytes: 400_000, sha256: hash('f') },
  },
  CheckpointKeyLossAccepted: {
    publicKey: hash('a'),
    checkpoint: { origin: 'svc/0123456789abcdef', size: 1_000, root: hash('b') },
  },
  VaultLossAccepted: { isNewVault: true, accountIds: [accountId(1), accountId(2)] },
  ModelDescribed: { slug: 'gpt-5.5', version: '0123456789abcdef', entry: '{"slug":"gpt-5.5"}' },
  ModelsListed: { planType: 'plus', from: [], to: [{ slug: 'gpt-5.5', version: '0123456789abcdef' }] },
  PricesPublished: {
    from: null,
    to: '2026-11-21.0123abcd',
    models: [
      {
        model: 'gpt-5*',
        input: 1.25,
        cachedInput: 0.125,
        output: 10,
        reasoningMultiplier: 1,
        tiers: { priority: 2 },
        longContext: { aboveInputTokens: 272_000, inputFactor: 2, outputFactor: 1.5 },
      },
    ],
  },
  RequestRefused: {
    ...requested,
    status: '429',
    errorCode: 'rate_limit_exceeded',
    errorMessage: 'the limit is used up',
    latencyMs: 1,
    limit: { ruleId: 1, counted: 1_000, reserved: 0, ceiling: 1_000 },
  },
  RefusalsCounted: {
    keyId: keyId(1),
    address: null,
    minute: NOW,
    counts: { rate_limit_exceeded: 7, model_not_allowed: 1 },
  },
};

const definitionOf = (type: string) => eventTypes.get(type) as unknown as EventDefinition<string, unknown>;
const schemaOf = (type: string) => definitionOf(type).data(z) as z.ZodObject;

describe.each(Object.entries(samples))('%s', (type, sample) => {
  test('keeps its data through its schema and through JSON', () => {
    const data = schemaOf(type);
    expect(data.parse(sample)).toEqual(sample);
    expect(data.parse(JSON.parse(JSON.stringify(sample)))).toEqual(sample);
  });

  test('is made by its own constructor', () => expect(definitionOf(type)(sample)).toEqual({ type, data: sample }));

  test('describes itself in one sentence without secrets', () => {
    const sentence = definitionOf(type).describe(sample);
    expect(sentence.trim()).not.toBe('');
    expect(sentence).not.toMatch(/undefined|null|NaN|\[object|sealed\.|\n/);
    expect(sentence).not.toMatch(/[0-9a-f]{64}/);
  });

  test('refuses data with a missing field or one of another type', () => {
    const data = schemaOf(type);
    for (const field of requiredFieldsOf(data)) {
      const { [field]: _, ...without } = sample as Record<string, unknown>;
      expect(data.safeParse(without).success, `without ${field}`).toBe(false);
      expect(data.safeParse({ ...sample, [field]: Symbol('wrong') }).success, `wrong ${field}`).toBe(false);
    }
    for (const wrong of [null, 'text', 7, []]) expect(data.safeParse(wrong).success).toBe(false);
  });
});

const requiredFieldsOf = (schema: z.ZodType) =>
  Object.entries((schema as z.ZodObject).shape).flatMap(([field, inner]) =>
    (inner as z.ZodType).safeParse(undefined).success ? [] : [field],
  );

test('refuses a field of another type', () => {
  const refuses = (type: KnownEvent['type'], data: object) =>
    expect(schemaOf(type).safeParse({ ...samples[type], ...data }).success, type).toBe(false);
  refuses('AccountImported', { email: 'someone@example.org' });
  refuses('AccountImported', { tokens: { ...tokens(), access: 'eyJhbGciOi' } });
  refuses('TokensRefreshed', { claimId: 'claim-1' });
  refuses('ApiKeyCreated', { keyId: 'key-1' });
  refuses('ApiKeyCreated', { hash: 'sk-svc-0123' });
  refuses('ApiKeyCreated', { rules: [limitRule({ maxValue: 0 })] });
  refuses('ApiKeyExpiryChanged', { to: 1.5 });
  refuses('AccountUsageObserved', usageSample(usageWindow(40.5)));
  refuses('AccountPaused', { from: 'rate_limited' });
  refuses('SettingsChanged', { to: { routingStrategy: 'random' } });
  refuses('DashboardPasswordSet', { passwordHash: 'correct horse battery staple' });
  refuses('TotpConfigured', { secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY' });
  refuses('RequestCompleted', { costMicroDollars: -1 });
  refuses('RefusalsCounted', { counts: { rate_limit_exceeded: 0 } });
});

describe('the registry', () => {
  const isDefinition = (value: unknown): value is EventDefinition => typeof value === 'function' && 'describe' in value;

  test('contains every declared event under a unique name', async () => {
    const files = globSync('**/events.ts', { cwd: import.meta.dirname });
    const modules = await Promise.all(
      files.map(
        (file) => import(pathToFileURL(`${import.meta.dirname}/${file}`).href) as Promise<Record<string, unknown>>,
      ),
    );
    const declared = modules.flatMap((module) => Object.entries(module).filter(([, value]) => isDefinition(value)));
    expect(declared.map(([name]) => name).sort()).toEqual([...eventTypes.keys()].sort());
    for (const [name, definition] of declared) expect(eventTypes.get(name)).toBe(definition);
  });

  test('has a sample of each event type', () =>
    expect(Object.keys(samples).sort()).toEqual([...eventTypes.keys()].sort()));
});

test.each([...eventTypes.values()].map(({ type, version }) => ({ type, version })))(
  'the fields of $type are those recorded for its version',
  ({ type, version }) => {
    // `npm run docs` adds new types and versions. A recorded version never changes: a new field makes a new version.
    const own = recordedFieldLines().filter((line) => line.startsWith(`${type} ${version}: `));
    expect(fieldLines(type)).toEqual(own);
  },
);

describe('upcasting', () => {
  const thrice = event('TestRenamedTwice', {
    version: 3,
    data: (z) => z.object({ third: z.string() }),
    describe: ({ third }) => third,
    upcasters: [
      (data) => ({ second: `${(data as { first: string }).first}+2` }),
      (data) => ({ third: `${(data as { second: string }).second}+3` }),
    ],
  });
  const registry = eventTypes as Map<string, unknown>;
  const registered = () => registry.set(thrice.type, thrice);
  afterEach(() => void registry.delete(thrice.type));

  test('applies the upcasters from each older version in order', () => {
    registered();
    expect(upcast('TestRenamedTwice', 1, { first: '1' })).toEqual({ third: '1+2+3' });
    expect(upcast('TestRenamedTwice', 2, { second: '2' })).toEqual({ third: '2+3' });
    expect(upcast('TestRenamedTwice', 3, { third: '3' })).toEqual({ third: '3' });
  });

  test('leaves data of the current version unchanged', () => {
    for (const [type, sample] of Object.entries(samples)) {
      expect(upcast(type, definitionOf(type).version, sample)).toBe(sample);
    }
  });

  test('turns every event that earlier versions have stored into one of today', () => {
    for (const { type, version, data } of everyKind) {
      const upcasted = upcast(type, version, data);
      expect(schemaOf(type).strict().parse(upcasted), JSON.stringify(data)).toEqual(upcasted);
    }
  });

  test('reservations of version 1 were those of the key, and its limits finished every stream', () => {
    const admission = { ...requested.admission, reserved: [[2, 70]] };
    expect(upcast('RequestCompleted', 1, { ...samples.RequestCompleted, admission })).toMatchObject({
      admission: { reserved: [['key', null, 2, 70]] },
    });
    const { onExceeded: _, ...rule } = limitRule();
    expect(upcast('ApiKeyLimitsChanged', 1, { ...key, from: [], to: [rule] })).toEqual({
      ...key,
      from: [],
      to: [limitRule()],
    });
  });

  test('throws at an unknown type', () => {
    expect(() => upcast('QuotaInvented', 1, {})).toThrow(UnknownEventType);
    expect(() => upcast('QuotaInvented', 1, {})).toThrow(/"QuotaInvented".*newer version/);
    expect(() => upcast('toString', 1, {})).toThrow(UnknownEventType);
  });

  test('throws at an unknown version', () => {
    registered();
    for (const version of [4, 0, -1, 1.5, Number.NaN]) {
      expect(() => upcast('TestRenamedTwice', version, {}), `version ${version}`).toThrow(UnknownEventType);
    }
  });

  test('refuses a declaration that lacks an upcaster', () => {
    const declaration = { version: 2, data: () => z.object({}), describe: () => '' };
    expect(() => event('TestIncomplete', declaration)).toThrow(/needs 1 upcasters/);
    expect(() => event('TestIncomplete', { ...declaration, version: 1, upcasters: [(data) => data] })).toThrow();
  });
});

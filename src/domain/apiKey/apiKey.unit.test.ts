import { describe, expect, test } from 'vitest';
import {
  at,
  DAY,
  hash,
  keyId,
  later,
  limitRule,
  NOW,
  specification,
  uuid,
} from '../../../test/support/specification.ts';
import type { TeamId } from '../core/brands.ts';
import type { LimitRuleInput } from '../limits/changeRules.ts';
import { type ApiKeyChanges, type ApiKeyCommand, apiKey as rules } from './decide.ts';
import {
  ApiKeyActivated,
  ApiKeyCreated,
  ApiKeyDeactivated,
  ApiKeyDeleted,
  ApiKeyExpiryChanged,
  ApiKeyLimitsChanged,
  ApiKeyModelsChanged,
  ApiKeyOwnerChanged,
  ApiKeyRegenerated,
  ApiKeyRenamed,
  ApiKeyTeamChanged,
  ApiKeyUsageReset,
} from './events.ts';

const apiKey = specification(rules);
const id = keyId(1);
const name = 'build';
const value = { hash: hash('a'), prefix: 'sk-svc-aaaaaaaaa' };
const newValue = { hash: hash('b'), prefix: 'sk-svc-bbbbbbbbb' };
const plain = { keyId: id, ...value, name, allowedModels: null, expiresAt: null, rules: [] };
const created = ApiKeyCreated(plain);
const deleted = ApiKeyDeleted({ keyId: id, name });
const create = (changes: Partial<Extract<ApiKeyCommand, { type: 'CreateApiKey' }>> = {}) =>
  ({ type: 'CreateApiKey', keyId: id, value, name, ...changes }) as const;
const change = (changes: ApiKeyChanges) => ({ type: 'ChangeApiKey', keyId: id, changes }) as const;
const wanted = (changes: Partial<LimitRuleInput> = {}): LimitRuleInput => ({
  limitType: 'total_tokens',
  limitWindow: 'daily',
  maxValue: 1_000,
  modelFilter: null,
  ...changes,
});

test('can shorten lists that were written before they were bounded', () => {
  const models = Array.from({ length: 3_000 }, (_, index) => `model-${index}`.padEnd(5_000, 'é'));
  const long = models.map((modelFilter, index) => limitRule({ id: index + 1, modelFilter }));
  const key = apiKey.given(at(NOW, ApiKeyCreated({ ...plain, rules: long, allowedModels: models })));
  const changed = rules.decide(change({ limits: [], allowedModels: ['gpt-5'] }), key.state(), {
    now: NOW,
    windowsNow: NOW,
  });
  expect(changed.map(({ type }) => type)).toEqual(['ApiKeyModelsChanged', 'ApiKeyLimitsChanged']);
  for (const { data } of changed) expect(JSON.stringify(data).length).toBeLessThan(60_000);
  key.when(change({ limits: [], allowedModels: ['gpt-5'] })).state();
});

describe('create', () => {
  test('a key with a name only may use every model, never expires and has no limits', () => {
    apiKey.when(create()).then(created);
    expect(apiKey.given(at(NOW, created)).state()).toEqual({
      id,
      name,
      ...value,
      allowedModels: null,
      expiresAt: null,
      isActive: true,
      createdAt: NOW,
      rules: [],
      nextRuleId: 1,
    });
  });

  test('trims the name', () => apiKey.when(create({ name: '  build ' })).then(created));

  test.each(['', '   ', 'x'.repeat(129)])('refuses a name of 0 or more than 128 characters', (wrong) =>
    apiKey.when(create({ name: wrong })).refuses('invalid_api_key_payload', { param: 'name' }),
  );

  test('counts code points, not UTF-16 units', () => {
    for (const long of ['x'.repeat(128), '🔑'.repeat(128)]) {
      apiKey.when(create({ name: long })).then(ApiKeyCreated({ ...plain, name: long }));
    }
  });

  test('trims models and drops blank and repeated ones', () =>
    apiKey
      .when(create({ allowedModels: [' gpt-5 ', '', 'gpt-5', 'gpt-5.1'] }))
      .then(ApiKeyCreated({ ...plain, allowedModels: ['gpt-5', 'gpt-5.1'] })));

  test.each([[[]], [null]])('treats %j as every model', (allowedModels) =>
    apiKey.when(create({ allowedModels })).then(created),
  );

  test('refuses a list of blank models', () => {
    const blank = { allowedModels: ['', ' '] };
    apiKey.when(create(blank)).refuses('invalid_api_key_payload', { param: 'allowed_models' });
    apiKey.given(created).when(change(blank)).refuses('invalid_api_key_payload', { param: 'allowed_models' });
  });

  test('gives limits ids and starts their windows now', () =>
    apiKey.when(create({ limits: [wanted(), wanted({ limitType: 'cost_usd', maxValue: 5 })] })).then(
      ApiKeyCreated({
        ...plain,
        rules: [limitRule({ id: 1 }), limitRule({ id: 2, limitType: 'cost_usd', maxValue: 5 })],
      }),
    ));

  test('stores the expiry', () =>
    apiKey.when(create({ expiresAt: later(DAY) })).then(ApiKeyCreated({ ...plain, expiresAt: later(DAY) })));

  test('refuses an id that is taken', () => apiKey.given(created).when(create()).refuses('conflict', { keyId: id }));
});

describe('change', () => {
  test('records nothing without fields', () => apiKey.given(created).when(change({})).then());

  test('records nothing for unchanged fields', () =>
    apiKey
      .given(ApiKeyCreated({ ...plain, allowedModels: ['gpt-5'], rules: [limitRule()] }))
      .when(
        change({
          name: ' build',
          allowedModels: ['gpt-5 '],
          expiresAt: null,
          isActive: true,
          limits: [wanted()],
          resetUsage: false,
        }),
        { now: later(DAY) },
      )
      .then());

  test('changes the name', () => {
    const renamed = ApiKeyRenamed({ keyId: id, from: name, to: 'deploy' });
    apiKey
      .given(created)
      .when(change({ name: ' deploy' }))
      .then(renamed);
    expect(apiKey.given(created, renamed).state()).toMatchObject({ name: 'deploy', hash: value.hash });
  });

  test('refuses an invalid name and changes nothing else', () =>
    apiKey
      .given(created)
      .when(change({ name: ' ', isActive: false }))
      .refuses('invalid_api_key_payload', { param: 'name' }));

  test('changes the models', () => {
    const narrowed = ApiKeyModelsChanged({ keyId: id, name, from: null, to: ['gpt-5'] });
    apiKey
      .given(created)
      .when(change({ allowedModels: ['gpt-5'] }))
      .then(narrowed);
    expect(apiKey.given(created, narrowed).state()).toMatchObject({ allowedModels: ['gpt-5'] });
    apiKey
      .given(created, narrowed)
      .when(change({ allowedModels: [] }))
      .then(ApiKeyModelsChanged({ keyId: id, name, from: ['gpt-5'], to: null }));
  });

  test('changes the expiry, to a time and back to never', () => {
    const limited = ApiKeyExpiryChanged({ keyId: id, name, from: null, to: later(DAY) });
    apiKey
      .given(created)
      .when(change({ expiresAt: later(DAY) }))
      .then(limited);
    expect(apiKey.given(created, limited).state()).toMatchObject({ expiresAt: later(DAY) });
    apiKey
      .given(created, limited)
      .when(change({ expiresAt: null }))
      .then(ApiKeyExpiryChanged({ keyId: id, name, from: later(DAY), to: null }));
  });

  test('activates and deactivates', () => {
    const off = ApiKeyDeactivated({ keyId: id, name });
    apiKey
      .given(created)
      .when(change({ isActive: false }))
      .then(off);
    expect(apiKey.given(created, off).state()).toMatchObject({ isActive: false });
    apiKey
      .given(created, off)
      .when(change({ isActive: false }))
      .then();
    apiKey
      .given(created, off)
      .when(change({ isActive: true }))
      .then(ApiKeyActivated({ keyId: id, name }));
    expect(apiKey.given(created, off, ApiKeyActivated({ keyId: id, name })).state()).toMatchObject({ isActive: true });
  });

  test('resets the usage counters each time', () => {
    const reset = ApiKeyUsageReset({ keyId: id, name });
    apiKey
      .given(created, reset)
      .when(change({ resetUsage: true }))
      .then(reset);
    expect(apiKey.given(created, reset).state()).toEqual(apiKey.given(created).state());
  });

  test('changes everything at once, one event per field, under the new name', () =>
    apiKey
      .given(created)
      .when(
        change({
          name: 'deploy',
          allowedModels: ['gpt-5'],
          expiresAt: later(DAY),
          isActive: false,
          limits: [wanted()],
          resetUsage: true,
        }),
      )
      .then(
        ApiKeyRenamed({ keyId: id, from: name, to: 'deploy' }),
        ApiKeyModelsChanged({ keyId: id, name: 'deploy', from: null, to: ['gpt-5'] }),
        ApiKeyExpiryChanged({ keyId: id, name: 'deploy', from: null, to: later(DAY) }),
        ApiKeyDeactivated({ keyId: id, name: 'deploy' }),
        ApiKeyLimitsChanged({ keyId: id, name: 'deploy', from: [], to: [limitRule()] }),
        ApiKeyUsageReset({ keyId: id, name: 'deploy' }),
      ));
});

describe('limits', () => {
  const daily = limitRule({ id: 1 });
  const weekly = limitRule({ id: 2, limitWindow: 'weekly' });
  const limited = ApiKeyCreated({ ...plain, rules: [daily, weekly] });
  const now = later(DAY);

  test('keeps id and creation time of a rule when its maximum changes', () =>
    apiKey
      .given(limited)
      .when(change({ limits: [wanted({ maxValue: 5 }), wanted({ limitWindow: 'weekly' })] }), { now })
      .then(ApiKeyLimitsChanged({ keyId: id, name, from: [daily, weekly], to: [{ ...daily, maxValue: 5 }, weekly] })));

  test('keeps id, creation time and usage of a rule when what happens to streams changes', () =>
    apiKey
      .given(limited)
      .when(change({ limits: [wanted({ onExceeded: 'stop' }), wanted({ limitWindow: 'weekly' })] }), { now })
      .then(
        ApiKeyLimitsChanged({
          keyId: id,
          name,
          from: [daily, weekly],
          to: [{ ...daily, onExceeded: 'stop' }, weekly],
        }),
      ));

  test('keeps what happens to streams when a change does not name it, and finishes them by default', () => {
    const stopping = limitRule({ id: 1, onExceeded: 'stop' });
    apiKey
      .given(ApiKeyCreated({ ...plain, rules: [stopping] }))
      .when(change({ limits: [wanted({ maxValue: 5 }), wanted({ limitWindow: 'weekly' })] }))
      .then(ApiKeyLimitsChanged({ keyId: id, name, from: [stopping], to: [{ ...stopping, maxValue: 5 }, weekly] }));
    apiKey
      .when(create({ limits: [wanted({ onExceeded: 'stop' })] }))
      .then(ApiKeyCreated({ ...plain, rules: [stopping] }));
  });

  test('says in the history which limits stop streams', () =>
    expect(
      ApiKeyLimitsChanged.describe({
        keyId: id,
        name,
        from: [daily],
        to: [limitRule({ id: 1, onExceeded: 'stop' })],
      }),
    ).toBe('API key "build" has 1000 total_tokens daily, stopping streams (before: 1000 total_tokens daily)'));

  test('replaces a rule when its type, window or model differs', () => {
    const differences = [{ limitType: 'input_tokens' }, { limitWindow: 'monthly' }, { modelFilter: 'gpt-5' }] as const;
    for (const difference of differences) {
      apiKey
        .given(limited)
        .when(change({ limits: [wanted(difference)] }), { now })
        .then(
          ApiKeyLimitsChanged({
            keyId: id,
            name,
            from: [daily, weekly],
            to: [limitRule({ id: 3, ...difference, createdAt: now })],
          }),
        );
    }
  });

  test('an empty list removes every rule; omitting the field keeps them', () => {
    apiKey
      .given(limited)
      .when(change({ limits: [] }))
      .then(ApiKeyLimitsChanged({ keyId: id, name, from: [daily, weekly], to: [] }));
    apiKey
      .given(limited)
      .when(change({ limits: undefined }))
      .then();
  });

  test('gives a rule that was removed and added again a new id', () => {
    const removed = ApiKeyLimitsChanged({ keyId: id, name, from: [daily, weekly], to: [] });
    apiKey
      .given(limited, removed)
      .when(change({ limits: [wanted()] }), { now })
      .then(ApiKeyLimitsChanged({ keyId: id, name, from: [], to: [limitRule({ id: 3, createdAt: now })] }));
  });

  test('treats a blank model as every model', () =>
    apiKey
      .given(limited)
      .when(change({ limits: [wanted({ modelFilter: ' ' }), wanted({ limitWindow: 'weekly' })] }))
      .then());

  test('refuses a repeated rule and names its index', () => {
    const twice = [wanted(), wanted({ limitWindow: 'weekly' }), wanted({ maxValue: 7, modelFilter: '' })];
    apiKey.when(create({ limits: twice })).refuses('invalid_api_key_payload', { param: 'limits.2' });
    apiKey
      .given(limited)
      .when(change({ limits: twice }))
      .refuses('invalid_api_key_payload', { param: 'limits.2' });
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 53])('refuses a maximum of %d and names its index', (maxValue) =>
    apiKey
      .given(created)
      .when(change({ limits: [wanted(), wanted({ limitWindow: 'weekly', maxValue })] }))
      .refuses('invalid_api_key_payload', { param: 'limits.1.max_value' }),
  );

  test('allows the same rule for two models', () =>
    apiKey.when(create({ limits: [wanted({ modelFilter: 'gpt-5' }), wanted({ modelFilter: 'gpt-5.1' })] })).then(
      ApiKeyCreated({
        ...plain,
        rules: [limitRule({ id: 1, modelFilter: 'gpt-5' }), limitRule({ id: 2, modelFilter: 'gpt-5.1' })],
      }),
    ));
});

test('regenerating a key changes only its value', () => {
  const regenerated = ApiKeyRegenerated({ keyId: id, name, from: value, to: newValue });
  apiKey.given(created).when({ type: 'RegenerateApiKey', keyId: id, value: newValue }).then(regenerated);
  expect(apiKey.given(created, regenerated).state()).toEqual({ ...apiKey.given(created).state(), ...newValue });
});

const commands: ApiKeyCommand[] = [
  change({ name: 'deploy' }),
  change({}),
  { type: 'RegenerateApiKey', keyId: id, value: newValue },
  { type: 'DeleteApiKey', keyId: id },
];

test('deletes a key', () => {
  apiKey.given(created).when({ type: 'DeleteApiKey', keyId: id }).then(deleted);
  expect(apiKey.given(created, deleted).state()).toBeUndefined();
});

test.each(commands)('$type is refused for an unknown or deleted key', (command) => {
  apiKey.when(command).refuses('api_key_not_found', { keyId: id });
  apiKey.given(created, deleted).when(command).refuses('api_key_not_found', { keyId: id });
});

test('late events do not restore a deleted key', () =>
  expect(
    apiKey
      .given(created, deleted, ApiKeyActivated({ keyId: id, name }), ApiKeyRenamed({ keyId: id, from: name, to: 'x' }))
      .state(),
  ).toBeUndefined());

describe('owner and team', () => {
  const [search, ads] = [uuid(7) as TeamId, uuid(8) as TeamId];
  const owned = ApiKeyCreated({ ...plain, owner: 'Ada', team: search });

  test('come with the key, and change by themselves', () => {
    apiKey.when(create({ owner: ' Ada ', team: search })).then(owned);
    apiKey.when(create({ owner: null, team: null })).then(created);
    apiKey
      .given(owned)
      .when(change({ owner: 'Grace', team: ads }))
      .then(
        ApiKeyOwnerChanged({ keyId: id, name, from: 'Ada', to: 'Grace' }),
        ApiKeyTeamChanged({ keyId: id, name, from: search, to: ads }),
      );
    apiKey
      .given(owned)
      .when(change({ owner: 'Ada ', team: search, name }))
      .then();
  });

  test('are taken away by null, and kept where they are omitted', () => {
    const without = apiKey.given(owned).when(change({ owner: null, team: null }));
    without.then(
      ApiKeyOwnerChanged({ keyId: id, name, from: 'Ada', to: null }),
      ApiKeyTeamChanged({ keyId: id, name, from: search, to: null }),
    );
    expect(without.state()).toEqual(apiKey.given(created).when(change({})).state());
    expect(
      apiKey
        .given(owned)
        .when(change({ name: 'other' }))
        .state(),
    ).toMatchObject({ owner: 'Ada', team: search });
  });

  test.each(['', ' ', '.', '..', 'a\tb', 'x'.repeat(129)])('refuse the owner "%s"', (owner) => {
    apiKey.when(create({ owner })).refuses('invalid_api_key_payload', { param: 'owner' });
    apiKey.given(owned).when(change({ owner })).refuses('invalid_api_key_payload', { param: 'owner' });
  });
});

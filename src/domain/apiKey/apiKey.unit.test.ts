import { describe, expect, test } from 'vitest';
import { at, DAY, hash, keyId, later, limitRule, NOW, specification } from '../../../test/support/specification.ts';
import { type ApiKeyChanges, type ApiKeyCommand, type LimitRuleInput, apiKey as rules } from './decide.ts';
import {
  ApiKeyActivated,
  ApiKeyCreated,
  ApiKeyDeactivated,
  ApiKeyDeleted,
  ApiKeyExpiryChanged,
  ApiKeyLimitsChanged,
  ApiKeyModelsChanged,
  ApiKeyRegenerated,
  ApiKeyRenamed,
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

  test('the name is trimmed', () => apiKey.when(create({ name: '  build ' })).then(created));

  test.each(['', '   ', 'x'.repeat(129)])('a name of 0 or more than 128 characters is refused', (wrong) =>
    apiKey.when(create({ name: wrong })).refuses('invalid_api_key_payload', { param: 'name' }),
  );

  test('128 characters are counted as a reader counts them', () => {
    for (const long of ['x'.repeat(128), '🔑'.repeat(128)]) {
      apiKey.when(create({ name: long })).then(ApiKeyCreated({ ...plain, name: long }));
    }
  });

  test('models are trimmed, blank and repeated ones dropped', () =>
    apiKey
      .when(create({ allowedModels: [' gpt-5 ', '', 'gpt-5', 'gpt-5.1'] }))
      .then(ApiKeyCreated({ ...plain, allowedModels: ['gpt-5', 'gpt-5.1'] })));

  test.each([[[]], [null]])('no models, %j, means every model', (allowedModels) =>
    apiKey.when(create({ allowedModels })).then(created),
  );

  test('a list of nothing but blanks does not allow everything', () => {
    const blank = { allowedModels: ['', ' '] };
    apiKey.when(create(blank)).refuses('invalid_api_key_payload', { param: 'allowed_models' });
    apiKey.given(created).when(change(blank)).refuses('invalid_api_key_payload', { param: 'allowed_models' });
  });

  test('limits get ids of their own and roll from now', () =>
    apiKey.when(create({ limits: [wanted(), wanted({ limitType: 'cost_usd', maxValue: 5 })] })).then(
      ApiKeyCreated({
        ...plain,
        rules: [limitRule({ id: 1 }), limitRule({ id: 2, limitType: 'cost_usd', maxValue: 5 })],
      }),
    ));

  test('an expiry is kept', () =>
    apiKey.when(create({ expiresAt: later(DAY) })).then(ApiKeyCreated({ ...plain, expiresAt: later(DAY) })));

  test('an id that is taken is a conflict', () =>
    apiKey.given(created).when(create()).refuses('conflict', { keyId: id }));
});

describe('change', () => {
  test('no field, no event', () => apiKey.given(created).when(change({})).then());

  test('fields that are as they should be change nothing', () =>
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

  test('the name', () => {
    const renamed = ApiKeyRenamed({ keyId: id, from: name, to: 'deploy' });
    apiKey
      .given(created)
      .when(change({ name: ' deploy' }))
      .then(renamed);
    expect(apiKey.given(created, renamed).state()).toMatchObject({ name: 'deploy', hash: value.hash });
  });

  test('a wrong name is refused and nothing else changes', () =>
    apiKey
      .given(created)
      .when(change({ name: ' ', isActive: false }))
      .refuses('invalid_api_key_payload', { param: 'name' }));

  test('the models', () => {
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

  test('the expiry, to a time and back to never', () => {
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

  test('active and inactive', () => {
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

  test('the usage counters, each time it is asked', () => {
    const reset = ApiKeyUsageReset({ keyId: id, name });
    apiKey
      .given(created, reset)
      .when(change({ resetUsage: true }))
      .then(reset);
    expect(apiKey.given(created, reset).state()).toEqual(apiKey.given(created).state());
  });

  test('everything at once, one event a field, under the new name', () =>
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

  test('a rule of the same type, window and model keeps its id and its beginning when its maximum changes', () =>
    apiKey
      .given(limited)
      .when(change({ limits: [wanted({ maxValue: 5 }), wanted({ limitWindow: 'weekly' })] }), { now })
      .then(ApiKeyLimitsChanged({ keyId: id, name, from: [daily, weekly], to: [{ ...daily, maxValue: 5 }, weekly] })));

  test('a rule that differs in type, window or model is a new one, and the old one goes', () => {
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

  test('an empty list removes every rule; leaving the field out keeps them', () => {
    apiKey
      .given(limited)
      .when(change({ limits: [] }))
      .then(ApiKeyLimitsChanged({ keyId: id, name, from: [daily, weekly], to: [] }));
    apiKey
      .given(limited)
      .when(change({ limits: undefined }))
      .then();
  });

  test('a rule that was removed and comes back starts anew: ids are never given twice', () => {
    const removed = ApiKeyLimitsChanged({ keyId: id, name, from: [daily, weekly], to: [] });
    apiKey
      .given(limited, removed)
      .when(change({ limits: [wanted()] }), { now })
      .then(ApiKeyLimitsChanged({ keyId: id, name, from: [], to: [limitRule({ id: 3, createdAt: now })] }));
  });

  test('a blank model means every model', () =>
    apiKey
      .given(limited)
      .when(change({ limits: [wanted({ modelFilter: ' ' }), wanted({ limitWindow: 'weekly' })] }))
      .then());

  test('a rule given twice is refused and its place named, on create and on change', () => {
    const twice = [wanted(), wanted({ limitWindow: 'weekly' }), wanted({ maxValue: 7, modelFilter: '' })];
    apiKey.when(create({ limits: twice })).refuses('invalid_api_key_payload', { param: 'limits.2' });
    apiKey
      .given(limited)
      .when(change({ limits: twice }))
      .refuses('invalid_api_key_payload', { param: 'limits.2' });
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 53])('a maximum of %d is refused and its place named', (maxValue) =>
    apiKey
      .given(created)
      .when(change({ limits: [wanted(), wanted({ limitWindow: 'weekly', maxValue })] }))
      .refuses('invalid_api_key_payload', { param: 'limits.1.max_value' }),
  );

  test('the same rule for two models is two rules', () =>
    apiKey.when(create({ limits: [wanted({ modelFilter: 'gpt-5' }), wanted({ modelFilter: 'gpt-5.1' })] })).then(
      ApiKeyCreated({
        ...plain,
        rules: [limitRule({ id: 1, modelFilter: 'gpt-5' }), limitRule({ id: 2, modelFilter: 'gpt-5.1' })],
      }),
    ));
});

test('a regenerated key is the same key with a new value', () => {
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

test('a key can be deleted', () => {
  apiKey.given(created).when({ type: 'DeleteApiKey', keyId: id }).then(deleted);
  expect(apiKey.given(created, deleted).state()).toBeUndefined();
});

test.each(commands)('$type is refused for a key that never was or is deleted', (command) => {
  apiKey.when(command).refuses('api_key_not_found', { keyId: id });
  apiKey.given(created, deleted).when(command).refuses('api_key_not_found', { keyId: id });
});

test('what arrives late for a deleted key does not bring it back', () =>
  expect(
    apiKey
      .given(created, deleted, ApiKeyActivated({ keyId: id, name }), ApiKeyRenamed({ keyId: id, from: name, to: 'x' }))
      .state(),
  ).toBeUndefined());

import { expect, test } from 'vitest';
import { sealed, specification, uuid } from '../../../test/support/specification.ts';
import { TotpConfigured, TotpDisabled } from '../dashboardAuth/events.ts';
import { settings as rules } from './decide.ts';
import { SettingsChanged } from './events.ts';

const settings = specification(rules);
const requireKeys = SettingsChanged({ from: { apiKeyAuthEnabled: false }, to: { apiKeyAuthEnabled: true } });

test('has the documented defaults', () =>
  expect(settings.given().state()).toEqual({
    stickyThreadsEnabled: true,
    preferEarlierResetAccounts: false,
    routingStrategy: 'usage_weighted',
    importWithoutOverwrite: false,
    totpRequiredOnLogin: false,
    apiKeyAuthEnabled: false,
    isTotpConfigured: false,
  }));

test('records only changed fields, with their previous values', () =>
  settings
    .when({ type: 'ChangeSettings', to: { stickyThreadsEnabled: true, routingStrategy: 'round_robin' } })
    .then(SettingsChanged({ from: { routingStrategy: 'usage_weighted' }, to: { routingStrategy: 'round_robin' } })));

test('keeps omitted fields', () => {
  const state = settings
    .given(requireKeys)
    .when({ type: 'ChangeSettings', to: { preferEarlierResetAccounts: true, apiKeyAuthEnabled: undefined } })
    .state();
  expect(state).toEqual({ ...rules.initialState, preferEarlierResetAccounts: true, apiKeyAuthEnabled: true });
});

test('records nothing when no value changes', () => {
  settings
    .given(requireKeys)
    .when({ type: 'ChangeSettings', to: { apiKeyAuthEnabled: true } })
    .then();
  settings.when({ type: 'ChangeSettings', to: {} }).then();
});

test('can change a setting back', () =>
  settings
    .given(requireKeys)
    .when({ type: 'ChangeSettings', to: { apiKeyAuthEnabled: false } })
    .then(SettingsChanged({ from: { apiKeyAuthEnabled: true }, to: { apiKeyAuthEnabled: false } })));

test('refuses to require TOTP while none is configured', () =>
  settings
    .when({ type: 'ChangeSettings', to: { totpRequiredOnLogin: true, apiKeyAuthEnabled: true } })
    .refuses('invalid_totp_config'));

const requireTotp = SettingsChanged({ from: { totpRequiredOnLogin: false }, to: { totpRequiredOnLogin: true } });

test('accepts requiring TOTP when it is required already', () =>
  settings
    .given(requireTotp)
    .when({ type: 'ChangeSettings', to: { totpRequiredOnLogin: true } })
    .then());

test('always allows not requiring TOTP', () => {
  settings.when({ type: 'ChangeSettings', to: { totpRequiredOnLogin: false } }).then();
  settings
    .given(requireTotp)
    .when({ type: 'ChangeSettings', to: { totpRequiredOnLogin: false } })
    .then(SettingsChanged({ from: { totpRequiredOnLogin: true }, to: { totpRequiredOnLogin: false } }));
});

const withTotp = TotpConfigured({ totpId: uuid(1), secret: sealed('totp'), step: 1 });

test('allows requiring TOTP only while it is configured', () => {
  const command = { type: 'ChangeSettings', to: { totpRequiredOnLogin: true } } as const;
  settings.given(withTotp).when(command).then(requireTotp);
  settings
    .given(withTotp, TotpDisabled({ totpId: uuid(1) }))
    .when(command)
    .refuses('invalid_totp_config');
});

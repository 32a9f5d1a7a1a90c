import { expect, test } from 'vitest';
import { sealed, specification, uuid } from '../../../test/support/specification.ts';
import { TotpConfigured, TotpDisabled } from '../dashboardAuth/events.ts';
import { settings as rules } from './decide.ts';
import { SettingsChanged } from './events.ts';

const settings = specification(rules);
const requireKeys = SettingsChanged({ from: { apiKeyAuthEnabled: false }, to: { apiKeyAuthEnabled: true } });

test('at first threads stick, resets do not matter, usage decides, and neither keys nor TOTP are required', () =>
  expect(settings.given().state()).toEqual({
    stickyThreadsEnabled: true,
    preferEarlierResetAccounts: false,
    routingStrategy: 'usage_weighted',
    importWithoutOverwrite: false,
    totpRequiredOnLogin: false,
    apiKeyAuthEnabled: false,
    isTotpConfigured: false,
  }));

test('only the fields that differ are recorded, with what they replace', () =>
  settings
    .when({ type: 'ChangeSettings', to: { stickyThreadsEnabled: true, routingStrategy: 'round_robin' } })
    .then(SettingsChanged({ from: { routingStrategy: 'usage_weighted' }, to: { routingStrategy: 'round_robin' } })));

test('fields that are left out keep their value', () => {
  const state = settings
    .given(requireKeys)
    .when({ type: 'ChangeSettings', to: { preferEarlierResetAccounts: true, apiKeyAuthEnabled: undefined } })
    .state();
  expect(state).toEqual({ ...rules.initialState, preferEarlierResetAccounts: true, apiKeyAuthEnabled: true });
});

test('settings that are as they should be change nothing', () => {
  settings
    .given(requireKeys)
    .when({ type: 'ChangeSettings', to: { apiKeyAuthEnabled: true } })
    .then();
  settings.when({ type: 'ChangeSettings', to: {} }).then();
});

test('a setting can be changed back', () =>
  settings
    .given(requireKeys)
    .when({ type: 'ChangeSettings', to: { apiKeyAuthEnabled: false } })
    .then(SettingsChanged({ from: { apiKeyAuthEnabled: true }, to: { apiKeyAuthEnabled: false } })));

test('TOTP cannot be required while none is configured', () =>
  settings
    .when({ type: 'ChangeSettings', to: { totpRequiredOnLogin: true, apiKeyAuthEnabled: true } })
    .refuses('invalid_totp_config'));

const requireTotp = SettingsChanged({ from: { totpRequiredOnLogin: false }, to: { totpRequiredOnLogin: true } });

test('asking again for TOTP while it is required is no mistake', () =>
  settings
    .given(requireTotp)
    .when({ type: 'ChangeSettings', to: { totpRequiredOnLogin: true } })
    .then());

test('not requiring TOTP is always allowed', () => {
  settings.when({ type: 'ChangeSettings', to: { totpRequiredOnLogin: false } }).then();
  settings
    .given(requireTotp)
    .when({ type: 'ChangeSettings', to: { totpRequiredOnLogin: false } })
    .then(SettingsChanged({ from: { totpRequiredOnLogin: true }, to: { totpRequiredOnLogin: false } }));
});

const withTotp = TotpConfigured({ totpId: uuid(1), secret: sealed('totp'), step: 1 });

test('TOTP can be required once it is set up, and no longer after it was disabled', () => {
  const command = { type: 'ChangeSettings', to: { totpRequiredOnLogin: true } } as const;
  settings.given(withTotp).when(command).then(requireTotp);
  settings
    .given(withTotp, TotpDisabled({ totpId: uuid(1) }))
    .when(command)
    .refuses('invalid_totp_config');
});

import { expect, test } from 'vitest';
import { passwordHash, sealed, specification, uuid } from '../../../test/support/specification.ts';
import { SettingsChanged } from '../settings/events.ts';
import { dashboardAuth as rules } from './decide.ts';
import {
  DashboardPasswordChanged,
  DashboardPasswordRemoved,
  DashboardPasswordSet,
  TotpConfigured,
  TotpDisabled,
} from './events.ts';
import { type DashboardAuth, withUsedStep } from './state.ts';

const auth = specification(rules);
const first = { passwordId: uuid(1), passwordHash: passwordHash('a') };
const second = { passwordId: uuid(2), passwordHash: passwordHash('b') };
const totp = { totpId: uuid(7), secret: sealed('totp'), step: 100 };
const requireTotp = SettingsChanged({ from: { totpRequiredOnLogin: false }, to: { totpRequiredOnLogin: true } });
const requireNoTotp = SettingsChanged({ from: { totpRequiredOnLogin: true }, to: { totpRequiredOnLogin: false } });
const withPassword = [DashboardPasswordSet(first)];
const withTotp = [...withPassword, TotpConfigured(totp)];

const setPassword = { type: 'SetPassword', ...second } as const;
const changePassword = { type: 'ChangePassword', verifiedPasswordId: uuid(1), ...second } as const;
const removePassword = { type: 'RemovePassword', verifiedPasswordId: uuid(1) } as const;
const configureTotp = { type: 'ConfigureTotp', ...totp } as const;
const disableTotp = { type: 'DisableTotp' } as const;

test('sets a password once', () => {
  auth.when(setPassword).then(DashboardPasswordSet(second));
  auth
    .given(...withPassword)
    .when(setPassword)
    .refuses('password_already_configured');
});

test('sets a password again after it was removed', () =>
  auth
    .given(...withPassword, DashboardPasswordRemoved({ passwordId: uuid(1) }))
    .when(setPassword)
    .then(DashboardPasswordSet(second)));

test('changes the password after the current one was verified', () => {
  auth
    .given(...withPassword)
    .when(changePassword)
    .then(DashboardPasswordChanged(second));
  const { password } = auth
    .given(...withPassword)
    .when(changePassword)
    .state();
  expect(password).toEqual({ id: uuid(2), hash: passwordHash('b') });
});

test('refuses a password that was changed in the meantime', () => {
  const changed = auth.given(...withPassword, DashboardPasswordChanged(second));
  changed.when({ ...changePassword, passwordId: uuid(3) }).refuses('invalid_credentials');
  changed.when(removePassword).refuses('invalid_credentials');
});

test('resets the password, and TOTP on request', () => {
  const reset = { type: 'ResetPassword', ...second, keepsTotp: true } as const;
  auth.when(reset).refuses('password_not_configured');
  auth
    .given(...withTotp, requireTotp)
    .when(reset)
    .then(DashboardPasswordChanged(second));
  const both = auth.given(...withTotp, requireTotp).when({ ...reset, keepsTotp: false });
  both.then(requireNoTotp, TotpDisabled({ totpId: uuid(7) }), DashboardPasswordChanged(second));
  expect(both.state()).toMatchObject({ totp: null, isTotpRequired: false });
  auth
    .given(...withPassword)
    .when({ ...reset, keepsTotp: false })
    .then(DashboardPasswordChanged(second));
});

test('refuses to change or remove a password that is not set', () => {
  auth.when(changePassword).refuses('password_not_configured');
  auth.when(removePassword).refuses('password_not_configured');
});

test('removing the password removes TOTP and its requirement', () => {
  auth
    .given(...withPassword)
    .when(removePassword)
    .then(DashboardPasswordRemoved({ passwordId: uuid(1) }));
  auth
    .given(...withTotp)
    .when(removePassword)
    .then(TotpDisabled({ totpId: uuid(7) }), DashboardPasswordRemoved({ passwordId: uuid(1) }));
  const required = auth.given(...withTotp, requireTotp).when(removePassword);
  required.then(requireNoTotp, TotpDisabled({ totpId: uuid(7) }), DashboardPasswordRemoved({ passwordId: uuid(1) }));
  expect(required.state()).toEqual(rules.initialState);
});

test('configures TOTP once, and only with a password', () => {
  auth
    .given(...withPassword)
    .when(configureTotp)
    .then(TotpConfigured(totp));
  auth
    .given(...withTotp)
    .when({ ...configureTotp, totpId: uuid(8) })
    .refuses('totp_already_configured');
  auth.when(configureTotp).refuses('password_not_configured');
});

test('disabling TOTP also turns off its requirement', () => {
  auth
    .given(...withTotp)
    .when(disableTotp)
    .then(TotpDisabled({ totpId: uuid(7) }));
  auth
    .given(...withTotp, requireTotp)
    .when(disableTotp)
    .then(requireNoTotp, TotpDisabled({ totpId: uuid(7) }));
  auth
    .given(...withTotp, requireTotp, requireNoTotp)
    .when(disableTotp)
    .then(TotpDisabled({ totpId: uuid(7) }));
});

test('refuses to disable TOTP that is not configured', () => {
  auth
    .given(...withPassword)
    .when(disableTotp)
    .refuses('totp_not_configured');
  auth
    .given(...withTotp, TotpDisabled({ totpId: uuid(7) }))
    .when(disableTotp)
    .refuses('totp_not_configured');
});

test('the last accepted step only increases, and belongs to its TOTP', () => {
  const after = (state: DashboardAuth, step: number, totpId = uuid(7)) => withUsedStep(state, { totpId, step });
  const once = auth.given(...withTotp).state();
  expect(once.totp?.lastStep).toBe(100);
  expect(after(after(once, 105), 103).totp?.lastStep).toBe(105);
  expect(after(once, 105, uuid(8)).totp?.lastStep).toBe(100);
  expect(after(auth.given(...withPassword).state(), 105).totp).toBeNull();
});

import { test } from 'vitest';
import { specification, uuid } from '../../../test/support/specification.ts';
import { SessionReauthenticated, SessionTotpVerified } from './events.ts';
import { totpUse } from './totpUse.ts';

const uses = specification({ ...totpUse, initialState: { lastStep: 100 } });
const disabled = specification(totpUse);
const code = (step: number) => ({ totpId: uuid(7), step, sessionId: uuid(1) });
const verify = (step: number) => ({ type: 'VerifySession', ...code(step), replaces: uuid(2) }) as const;
const reauthenticate = (step: number) => ({ type: 'Reauthenticate', ...code(step) }) as const;
const verified = (step: number) =>
  SessionTotpVerified({ sessionId: uuid(1), replaces: uuid(2), totpId: uuid(7), step });
const reauthenticated = (step: number) => SessionReauthenticated({ sessionId: uuid(1), totp: { id: uuid(7), step } });

test('accepts a code that is newer than the last one', () => {
  uses.when(verify(101)).then(verified(101));
  uses.given(verified(101)).when(reauthenticate(102)).then(reauthenticated(102));
});

test('refuses a code that was used, whatever for, and one that is older', () => {
  for (const use of [verified(103), reauthenticated(103)]) {
    for (const step of [102, 103]) {
      uses.given(use).when(verify(step)).refuses('totp_invalid_code');
      uses.given(use).when(reauthenticate(step)).refuses('totp_invalid_code');
    }
    uses.given(use).when(verify(104)).then(verified(104));
  }
});

test('refuses every code once TOTP was disabled', () => {
  disabled.when(verify(101)).refuses('totp_not_configured');
  disabled.when(reauthenticate(101)).refuses('totp_not_configured');
});

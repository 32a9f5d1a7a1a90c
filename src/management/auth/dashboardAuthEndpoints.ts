import { z } from 'zod';
import type { DashboardAuth } from '../../domain/dashboardAuth/state.ts';
import { hasVerifiedTotp, type Session } from '../../domain/session/state.ts';
import { wireObject } from '../http/body.ts';
import { documented } from '../http/describeRoute.ts';

const MIN_CHARACTERS = 8;
const MAX_CHARACTERS = 1_024;

const newPassword = z
  .string()
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
  .refine((text) => [...text].length >= MIN_CHARACTERS, `must have at least ${MIN_CHARACTERS} characters`)
  .refine((text) => text.length <= MAX_CHARACTERS, `must have at most ${MAX_CHARACTERS} characters`);
const code = z.string().regex(/^\d{6}$/, 'must be 6 digits');

export const SetUp = wireObject({ password: newPassword, setup_token: z.string().nullish() });
export const Password = wireObject({ password: z.string() });
export const Change = wireObject({ currentPassword: z.string(), newPassword });
export const Confirm = wireObject({ setupToken: z.string(), code });
export const Verify = wireObject({ code });

export const SessionState = z
  .object({
    isPasswordConfigured: z.boolean(),
    isPasswordVerified: z.boolean(),
    isTotpConfigured: z.boolean(),
    isTotpVerified: z.boolean(),
    isTotpRequiredOnLogin: z.boolean(),
  })
  .meta({ id: 'DashboardSession' });

export const sessionState = (auth: DashboardAuth, session: Session | undefined): z.infer<typeof SessionState> => ({
  isPasswordConfigured: auth.password !== null,
  isPasswordVerified: session !== undefined,
  isTotpConfigured: auth.totp !== null,
  isTotpVerified: session !== undefined && hasVerifiedTotp(session, auth),
  isTotpRequiredOnLogin: auth.isTotpRequired,
});

const Done = z.object({ status: z.literal('ok') });
const TotpStart = z.object({ secret: z.string(), qrCodeDataUrl: z.string(), setupToken: z.string() });
const NO_SESSION = ['authentication_required', 'totp_required'] as const;

/** What each route takes and answers. */
export const routes = {
  session: documented({ summary: 'How far the client has signed in', answer: SessionState }),
  setUp: documented({
    summary: 'Sets the first password; from another machine with the set-up token',
    body: SetUp,
    answer: SessionState,
    refuses: [
      'validation_error',
      'password_already_configured',
      'authentication_required',
      'invalid_credentials',
      'rate_limit_exceeded',
    ],
  }),
  login: documented({
    summary: 'Begins a session',
    body: Password,
    answer: SessionState,
    refuses: [
      'validation_error',
      'password_not_configured',
      'authentication_required',
      'invalid_credentials',
      'rate_limit_exceeded',
    ],
  }),
  change: documented({
    summary: 'Changes the password; every other session ends',
    body: Change,
    answer: Done,
    refuses: [
      'validation_error',
      'password_not_configured',
      'invalid_credentials',
      'rate_limit_exceeded',
      ...NO_SESSION,
    ],
  }),
  remove: documented({
    summary: 'Removes the password, and TOTP with it; every session ends',
    body: Password,
    answer: Done,
    refuses: [
      'validation_error',
      'password_not_configured',
      'invalid_credentials',
      'rate_limit_exceeded',
      ...NO_SESSION,
    ],
  }),
  startTotp: documented({
    summary: 'Makes up a secret for an authenticator app; nothing changes until a code confirms it',
    answer: TotpStart,
    refuses: ['password_not_configured', 'totp_already_configured', ...NO_SESSION],
  }),
  confirmTotp: documented({
    summary: 'Sets TOTP up, with a code that the secret made',
    body: Confirm,
    answer: Done,
    refuses: [
      'validation_error',
      'password_not_configured',
      'totp_already_configured',
      'totp_invalid_code',
      'rate_limit_exceeded',
      ...NO_SESSION,
    ],
  }),
  verifyTotp: documented({
    summary: 'Verifies the session with a code that was not used before',
    body: Verify,
    answer: SessionState,
    refuses: [
      'validation_error',
      'password_not_configured',
      'totp_not_configured',
      'totp_invalid_code',
      'rate_limit_exceeded',
      'authentication_required',
    ],
  }),
  disableTotp: documented({
    summary: 'Takes TOTP away, and its requirement with it',
    answer: Done,
    refuses: ['password_not_configured', 'totp_not_configured', ...NO_SESSION],
  }),
  logout: documented({ summary: 'Ends the session', answer: Done }),
};

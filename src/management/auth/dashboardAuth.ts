import { z } from 'zod';
import { refuse } from '../../domain/core/refusal.ts';
import { hasVerifiedTotp } from '../../domain/dashboardAuth/sessionChecks.ts';
import type { DashboardAuth } from '../../domain/dashboardAuth/state.ts';
import type { Session } from '../../domain/session/state.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { requireLocalClient, requireVerifiedSession } from './access.ts';
import { createCredentialCheck } from './credentialCheck.ts';
import { createPasswords, type Passwords } from './passwords.ts';
import type { SessionCookie } from './sessionCookie.ts';
import { createSessionLifecycle } from './sessionLifecycle.ts';
import type { SetupToken } from './setupToken.ts';
import type { SignInRecorder } from './signInRecorder.ts';
import { destroyKeysOfDisabledTotp } from './totpKeys.ts';
import { createTotpSetup } from './totpSetup.ts';
import { createTotpVerification } from './totpVerification.ts';

const MIN_PASSWORD_CHARACTERS = 8;
const MAX_PASSWORD_CHARACTERS = 1_024;

const newPassword = z
  .string()
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
  .refine(
    (text) => [...text].length >= MIN_PASSWORD_CHARACTERS,
    `must have at least ${MIN_PASSWORD_CHARACTERS} characters`,
  )
  .refine((text) => text.length <= MAX_PASSWORD_CHARACTERS, `must have at most ${MAX_PASSWORD_CHARACTERS} characters`);
const code = z.string().regex(/^\d{6}$/, 'must be 6 digits');

const SetPassword = wireObject({ password: newPassword, setup_token: z.string().nullish() });
const ConfirmPassword = wireObject({ password: z.string() });
const ChangePassword = wireObject({ currentPassword: z.string(), newPassword });
const ConfirmTotp = wireObject({ setupToken: z.string(), code });
const VerifyTotp = wireObject({ code });

const SessionState = z
  .object({
    isPasswordConfigured: z.boolean(),
    isPasswordVerified: z.boolean(),
    isTotpConfigured: z.boolean(),
    isTotpVerified: z.boolean(),
    isTotpRequiredOnLogin: z.boolean(),
  })
  .meta({ id: 'DashboardSession' });
const OkStatus = z.object({ status: z.literal('ok') });
const TotpStart = z.object({ secret: z.string(), qrCodeDataUrl: z.string(), setupToken: z.string() });

const SESSION_REQUIRED = ['authentication_required', 'totp_required'] as const;
const WRONG_PASSWORD = ['invalid_credentials', 'rate_limit_exceeded'] as const;
const WRONG_CODE = ['totp_invalid_code', 'rate_limit_exceeded'] as const;

const routes = {
  session: describeRoute({ summary: 'Get the sign-in state of the client', response: SessionState }),
  setPassword: describeRoute({
    summary: 'Set the first password; clients on other machines need the set-up token',
    body: SetPassword,
    response: SessionState,
    errors: ['validation_error', 'password_already_configured', 'authentication_required', ...WRONG_PASSWORD],
  }),
  login: describeRoute({
    summary: 'Sign in with the password',
    body: ConfirmPassword,
    response: SessionState,
    errors: ['validation_error', 'password_not_configured', 'authentication_required', ...WRONG_PASSWORD],
  }),
  changePassword: describeRoute({
    summary: 'Change the password and end all other sessions',
    body: ChangePassword,
    response: OkStatus,
    errors: ['validation_error', 'password_not_configured', ...WRONG_PASSWORD, ...SESSION_REQUIRED],
  }),
  removePassword: describeRoute({
    summary: 'Remove the password and TOTP, and end all sessions',
    body: ConfirmPassword,
    response: OkStatus,
    errors: ['validation_error', 'password_not_configured', ...WRONG_PASSWORD, ...SESSION_REQUIRED],
  }),
  startTotp: describeRoute({
    summary: 'Generate a TOTP secret for an authenticator app; takes effect once a code confirms it',
    response: TotpStart,
    errors: ['password_not_configured', 'totp_already_configured', ...SESSION_REQUIRED],
  }),
  confirmTotp: describeRoute({
    summary: 'Enable TOTP with a code of the generated secret',
    body: ConfirmTotp,
    response: OkStatus,
    errors: [
      'validation_error',
      'password_not_configured',
      'totp_already_configured',
      ...WRONG_CODE,
      ...SESSION_REQUIRED,
    ],
  }),
  verifyTotp: describeRoute({
    summary: 'Verify the session with a TOTP code that was not used before',
    body: VerifyTotp,
    response: SessionState,
    errors: [
      'validation_error',
      'password_not_configured',
      'totp_not_configured',
      ...WRONG_CODE,
      'authentication_required',
    ],
  }),
  disableTotp: describeRoute({
    summary: 'Disable TOTP and stop requiring it at sign-in',
    response: OkStatus,
    errors: ['password_not_configured', 'totp_not_configured', ...SESSION_REQUIRED],
  }),
  logout: describeRoute({ summary: 'Sign out', response: OkStatus }),
};

/** Services of dashboard sign-in. */
export interface DashboardAuthServices {
  readonly signIns: SignInRecorder;
  /** Without it, the first password can be set only from this machine. */
  readonly setupToken?: SetupToken;
  readonly passwords?: Passwords;
}

interface DashboardAuthOptions extends Capabilities, DashboardAuthServices {
  readonly cookie: SessionCookie;
}

const OK_BODY = { status: 'ok' };

/**
 * Password, TOTP and sign-in of the dashboard (docs/decisions/0040-dashboard-sessions.md). Mounted before
 * `requireSession`, so each route checks by itself what it requires.
 */
export const dashboardAuthRoutes = (options: DashboardAuthOptions) => {
  const { views, commands, vault, ids, cookie, setupToken, passwords = createPasswords() } = options;
  const checkCredential = createCredentialCheck(options);
  const sessions = createSessionLifecycle(options);
  const totpSetup = createTotpSetup(options, checkCredential);
  const verifyTotp = createTotpVerification(options, checkCredential);

  const auth = () => views.current.dashboardAuth;
  const handle = (ctx: ManagementContext, command: Parameters<typeof subjects.dashboardAuth.decider.decide>[0]) =>
    commands.handle(subjects.dashboardAuth, 'main', command, ctx.state.cause);

  /** @throws Refusal `password_not_configured`, or `authentication_required` to clients on other machines */
  const requirePassword = (ctx: ManagementContext) => {
    const { password } = auth();
    if (password) return password;
    requireLocalClient(ctx);
    return refuse('password_not_configured');
  };
  const requireSession = (ctx: ManagementContext): Session => {
    requirePassword(ctx);
    return requireVerifiedSession(ctx, auth());
  };

  /** @returns the id of the password that matched */
  const checkPassword = (ctx: ManagementContext, credential: string, candidate: string): Promise<string> =>
    checkCredential(ctx, {
      credential,
      method: 'password',
      async verify() {
        const { password } = auth();
        return password && (await passwords.matches(candidate, password.hash)) ? password.id : undefined;
      },
      refusal: ['invalid_credentials'],
    });

  async function checkSetupToken(ctx: ManagementContext, candidate: string | null | undefined): Promise<void> {
    if (ctx.state.client.notLocalReason === undefined) return;
    if (candidate === null || candidate === undefined) return requireLocalClient(ctx);
    await checkCredential(ctx, {
      credential: 'setup token',
      method: 'setup_token',
      verify: () => setupToken?.matches(candidate) || undefined,
      refusal: ['invalid_credentials', { credential: 'setup_token' }],
    });
  }

  return newRouter('/api/dashboard-auth')
    .get('/session', routes.session, (ctx) => sessionState(auth(), ctx.state.client.session))
    .post('/password/setup', routes.setPassword, async (ctx) => {
      const { password, setup_token } = await readBody(ctx, SetPassword, 'validation_error');
      if (auth().password) refuse('password_already_configured');
      await checkSetupToken(ctx, setup_token);
      const passwordId = ids.newId();
      await handle(ctx, { type: 'SetPassword', passwordId, passwordHash: await passwords.hash(password) });
      return sessionState(auth(), await sessions.start(ctx, passwordId));
    })
    .post('/password/login', routes.login, async (ctx) => {
      requirePassword(ctx);
      const { password } = await readBody(ctx, ConfirmPassword, 'validation_error');
      const passwordId = await checkPassword(ctx, 'password', password);
      return sessionState(auth(), await sessions.start(ctx, passwordId));
    })
    .post('/password/change', routes.changePassword, async (ctx) => {
      const session = requireSession(ctx);
      const { currentPassword, newPassword } = await readBody(ctx, ChangePassword, 'validation_error');
      const verifiedPasswordId = await checkPassword(ctx, 'current password', currentPassword);
      const passwordId = ids.newId();
      const passwordHash = await passwords.hash(newPassword);
      await handle(ctx, { type: 'ChangePassword', verifiedPasswordId, passwordId, passwordHash });
      await sessions.start(ctx, passwordId, session);
      return OK_BODY;
    })
    .delete('/password', routes.removePassword, async (ctx) => {
      requireSession(ctx);
      const { password } = await readBody(ctx, ConfirmPassword, 'validation_error');
      const verifiedPasswordId = await checkPassword(ctx, 'current password', password);
      const { events } = await handle(ctx, { type: 'RemovePassword', verifiedPasswordId });
      await destroyKeysOfDisabledTotp(vault, events);
      cookie.clear(ctx);
      return OK_BODY;
    })
    .post('/totp/setup/start', routes.startTotp, (ctx) => totpSetup.start(requireSession(ctx)))
    .post('/totp/setup/confirm', routes.confirmTotp, async (ctx) => {
      const session = requireSession(ctx);
      await totpSetup.confirm(ctx, session, await readBody(ctx, ConfirmTotp, 'validation_error'));
      return OK_BODY;
    })
    .post('/totp/verify', routes.verifyTotp, async (ctx) => {
      requirePassword(ctx);
      const session = ctx.state.client.session ?? refuse('authentication_required');
      const { code } = await readBody(ctx, VerifyTotp, 'validation_error');
      const totp = await verifyTotp(ctx, code);
      return sessionState(auth(), await sessions.markTotpVerified(ctx, session, totp));
    })
    .post('/totp/disable', routes.disableTotp, async (ctx) => {
      requireSession(ctx);
      const { events } = await handle(ctx, { type: 'DisableTotp' });
      await destroyKeysOfDisabledTotp(vault, events);
      return OK_BODY;
    })
    .post('/logout', routes.logout, async (ctx) => {
      await sessions.end(ctx);
      return OK_BODY;
    })
    .routes();
};

const sessionState = (auth: DashboardAuth, session: Session | undefined): z.infer<typeof SessionState> => ({
  isPasswordConfigured: auth.password !== null,
  isPasswordVerified: session !== undefined,
  isTotpConfigured: auth.totp !== null,
  isTotpVerified: session !== undefined && hasVerifiedTotp(session, auth),
  isTotpRequiredOnLogin: auth.isTotpRequired,
});

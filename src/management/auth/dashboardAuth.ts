import { z } from 'zod';
import { BUILT_IN_ADMINISTRATOR } from '../../domain/core/builtInAdministrator.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { Session } from '../../domain/session/state.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { ADMINISTRATORS, EVERYONE } from '../http/roles.ts';
import { hasRoleIn, isOpen } from '../people/principal.ts';
import { checkSession, requireLocalClient, requireVerifiedSession } from './access.ts';
import type { SignIn } from './signIn.ts';
import { destroyKeysOfDisabledTotp } from './totpKeys.ts';
import { createTotpSetup } from './totpSetup.ts';
import {
  newPassword,
  OK_BODY,
  OkStatus,
  SESSION_REQUIRED,
  SessionState,
  totpCode,
  WRONG_CODE,
  WRONG_PASSWORD,
} from './wire.ts';

const SetPassword = wireObject({ password: newPassword, setup_token: z.string().nullish() });
const ConfirmPassword = wireObject({ password: z.string() });
const ChangePassword = wireObject({ currentPassword: z.string(), newPassword });
const ConfirmTotp = wireObject({ setupToken: z.string(), code: totpCode });
const VerifyTotp = wireObject({ code: totpCode });

const ConfirmedTotp = OkStatus.extend({
  recoveryCodes: z
    .array(z.string())
    .optional()
    .describe('Of an operator; each replaces one code, and none is shown again'),
});
const TotpStart = z.object({ secret: z.string(), qrCodeDataUrl: z.string(), setupToken: z.string() });

const routes = {
  session: describeRoute({
    roles: EVERYONE,
    at: { none: 'it shows the session of this browser' },
    summary: 'Get the sign-in state of the client',
    response: SessionState,
  }),
  setPassword: describeRoute({
    roles: EVERYONE,
    summary: 'Set the first password; clients on other machines need the set-up token',
    body: SetPassword,
    response: SessionState,
    errors: ['validation_error', 'password_already_configured', 'authentication_required', ...WRONG_PASSWORD],
  }),
  login: describeRoute({
    roles: EVERYONE,
    summary: 'Sign in with the password',
    body: ConfirmPassword,
    response: SessionState,
    errors: ['validation_error', 'password_not_configured', 'authentication_required', ...WRONG_PASSWORD],
  }),
  changePassword: describeRoute({
    roles: EVERYONE,
    summary: 'Change the own password and end all other sessions that began with it',
    body: ChangePassword,
    response: OkStatus,
    errors: ['validation_error', 'password_not_configured', ...WRONG_PASSWORD, ...SESSION_REQUIRED],
  }),
  removePassword: describeRoute({
    roles: ADMINISTRATORS,
    summary: 'Remove the password and TOTP of the built-in administrator, and end its sessions',
    body: ConfirmPassword,
    response: OkStatus,
    errors: ['validation_error', 'password_not_configured', ...WRONG_PASSWORD, ...SESSION_REQUIRED],
  }),
  startTotp: describeRoute({
    roles: EVERYONE,
    summary: 'Generate a TOTP secret for an authenticator app; takes effect once a code confirms it',
    response: TotpStart,
    errors: ['password_not_configured', 'totp_already_configured', ...SESSION_REQUIRED],
  }),
  confirmTotp: describeRoute({
    roles: EVERYONE,
    summary: 'Enable TOTP with a code of the generated secret',
    body: ConfirmTotp,
    response: ConfirmedTotp,
    errors: [
      'validation_error',
      'password_not_configured',
      'totp_already_configured',
      ...WRONG_CODE,
      ...SESSION_REQUIRED,
    ],
  }),
  verifyTotp: describeRoute({
    roles: EVERYONE,
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
    roles: EVERYONE,
    isIrreversible: true,
    summary: 'Disable TOTP and stop requiring it at sign-in',
    response: OkStatus,
    errors: ['password_not_configured', 'totp_not_configured', ...SESSION_REQUIRED],
  }),
  logout: describeRoute({ roles: EVERYONE, summary: 'Sign out', response: OkStatus }),
};

type DashboardAuthOptions = Capabilities & SignIn;

const isBuiltIn = ({ operatorId }: { readonly operatorId: string }): boolean => operatorId === BUILT_IN_ADMINISTRATOR;

/**
 * Password, TOTP and sign-in of the built-in administrator, and of operators what is theirs in it
 * (docs/decisions/0040-dashboard-sessions.md). Mounted before `requireSession`, so each route checks by itself what it requires.
 */
export const dashboardAuthRoutes = (options: DashboardAuthOptions) => {
  const { views, commands, vault, ids, cookie, setupToken, passwords } = options;
  const { sessions, checkCredential, checkPassword, verifyTotp } = options;
  const totpSetup = createTotpSetup(options, checkCredential);

  const auth = () => views.current.dashboardAuth;
  const shown = options.stateOf;
  const handle = (ctx: ManagementContext, command: Parameters<typeof subjects.dashboardAuth.decider.decide>[0]) =>
    commands.handle(subjects.dashboardAuth, 'main', command, ctx.state.cause);
  const handleOperator = (ctx: ManagementContext, command: Parameters<typeof subjects.operator.decider.decide>[0]) =>
    commands.handle(subjects.operator, 'main', command, ctx.state.cause);

  /** @throws Refusal `password_not_configured`, or `authentication_required` to clients on other machines */
  const requirePassword = (ctx: ManagementContext): void => {
    const { session } = ctx.state.client;
    if (auth().password || (session && !isBuiltIn(session))) return;
    requireLocalClient(ctx);
    refuse('password_not_configured');
  };
  const requireSession = (ctx: ManagementContext, mayLackTotp = false): Session => {
    requirePassword(ctx);
    return requireVerifiedSession(ctx, views.current, mayLackTotp);
  };

  /** Who may set the first password; once management is closed, an administrator who is signed in. */
  async function checkSetupToken(ctx: ManagementContext, candidate: string | null | undefined): Promise<void> {
    if (!isOpen(views.current)) {
      const principal = checkSession(views.current, ctx);
      if (!hasRoleIn(principal, ADMINISTRATORS)) refuse('insufficient_permissions');
      return;
    }
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
    .get('/session', routes.session, (ctx) => shown(ctx.state.client.session))
    .post('/password/setup', routes.setPassword, async (ctx) => {
      const { password, setup_token } = await readBody(ctx, SetPassword, 'validation_error');
      if (auth().password) refuse('password_already_configured');
      await checkSetupToken(ctx, setup_token);
      const wasOpen = isOpen(views.current);
      const passwordId = ids.newId();
      await handle(ctx, { type: 'SetPassword', passwordId, passwordHash: await passwords.hash(password) });
      // An operator who sets it remains signed in as themselves.
      if (!wasOpen) return shown(ctx.state.client.session);
      return shown(await sessions.start(ctx, { operatorId: BUILT_IN_ADMINISTRATOR, passwordId, method: 'password' }));
    })
    .post('/password/login', routes.login, async (ctx) => {
      if (!auth().password) {
        requireLocalClient(ctx);
        refuse('password_not_configured');
      }
      const { password } = await readBody(ctx, ConfirmPassword, 'validation_error');
      const operatorId = BUILT_IN_ADMINISTRATOR;
      const passwordId = await checkPassword(ctx, { credential: 'password', candidate: password, operatorId });
      return shown(await sessions.start(ctx, { operatorId, passwordId, method: 'password' }));
    })
    .post('/password/change', routes.changePassword, async (ctx) => {
      const session = requireSession(ctx, true);
      const { operatorId } = session;
      const { currentPassword, newPassword } = await readBody(ctx, ChangePassword, 'validation_error');
      const current = { credential: 'current password', candidate: currentPassword, operatorId };
      const verifiedPasswordId = await checkPassword(ctx, current);
      const passwordId = ids.newId();
      const change = { verifiedPasswordId, passwordId, passwordHash: await passwords.hash(newPassword) };
      if (isBuiltIn(session)) await handle(ctx, { type: 'ChangePassword', ...change });
      else await handleOperator(ctx, { type: 'ChangePassword', operatorId, ...change });
      await sessions.start(ctx, { operatorId, passwordId, method: 'password' }, session);
      return OK_BODY;
    })
    .delete('/password', routes.removePassword, async (ctx) => {
      const session = requireSession(ctx);
      const { password } = await readBody(ctx, ConfirmPassword, 'validation_error');
      const { operatorId } = session;
      // Confirmed with the password of who is signed in.
      const confirmed = await checkPassword(ctx, { credential: 'current password', candidate: password, operatorId });
      const verifiedPasswordId = isBuiltIn(session) ? confirmed : (auth().password?.id ?? '');
      const { events } = await handle(ctx, { type: 'RemovePassword', verifiedPasswordId });
      await destroyKeysOfDisabledTotp(vault, events);
      if (isBuiltIn(session)) cookie.clear(ctx);
      return OK_BODY;
    })
    .post('/totp/setup/start', routes.startTotp, (ctx) => totpSetup.start(requireSession(ctx, true)))
    .post('/totp/setup/confirm', routes.confirmTotp, async (ctx) => {
      const session = requireSession(ctx, true);
      const body = await readBody(ctx, ConfirmTotp, 'validation_error');
      const { recoveryCodes, ...totp } = await totpSetup.confirm(ctx, session, body);
      if (recoveryCodes === undefined) return OK_BODY;
      // What an operator has set up is required at once, and the code has just proved it.
      await sessions.markTotpVerified(ctx, session, totp);
      return { ...OK_BODY, recoveryCodes };
    })
    .post('/totp/verify', routes.verifyTotp, async (ctx) => {
      requirePassword(ctx);
      const session = ctx.state.client.session ?? refuse('authentication_required');
      const { code } = await readBody(ctx, VerifyTotp, 'validation_error');
      return shown(await verifyTotp(ctx, session.operatorId, code, (totp) => sessions.verify(ctx, session, totp)));
    })
    .post('/totp/disable', routes.disableTotp, async (ctx) => {
      const session = requireSession(ctx);
      const { operatorId } = session;
      const { events } = isBuiltIn(session)
        ? await handle(ctx, { type: 'DisableTotp' })
        : await handleOperator(ctx, { type: 'DisableTotp', operatorId });
      await destroyKeysOfDisabledTotp(vault, events);
      return OK_BODY;
    })
    .post('/logout', routes.logout, async (ctx) => {
      await sessions.end(ctx);
      return OK_BODY;
    })
    .routes();
};

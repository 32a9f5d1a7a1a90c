import { refuse } from '../../domain/core/refusal.ts';
import type { Session } from '../../domain/session/state.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { Management } from '../app.ts';
import { bodyOf } from '../http/body.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { requireLocalClient, sessionOf } from './access.ts';
import { createProve } from './credentialCheck.ts';
import { Change, Confirm, Password, routes, SetUp, sessionState, Verify } from './dashboardAuthEndpoints.ts';
import { createPasswords } from './passwords.ts';
import type { SessionCookie } from './sessionCookie.ts';
import { createSessions } from './sessionLifecycle.ts';
import { destroyKeysOfDisabledTotp } from './totpKeys.ts';
import { createTotpSetup } from './totpSetup.ts';
import { createTotpVerification } from './totpVerification.ts';

interface DashboardAuthOptions extends Management {
  readonly cookie: SessionCookie;
}

const DONE = { status: 'ok' };

/** Password, TOTP and sessions of the dashboard (specification, "Dashboard authentication"). Stands before the gate. */
export const dashboardAuthRoutes = (management: DashboardAuthOptions) => {
  const { hot, handle, vault, newId, cookie, setupToken, passwords = createPasswords() } = management;
  const prove = createProve(management);
  const sessions = createSessions(management);
  const totpSetup = createTotpSetup(management, prove);
  const totpVerification = createTotpVerification(management, prove);

  const auth = () => hot.state.dashboardAuth;
  const change = (ctx: ManagementContext, command: Parameters<typeof subjects.dashboardAuth.decider.decide>[0]) =>
    handle(subjects.dashboardAuth, 'main', command, ctx.state.cause);

  const forgetting = async (done: ReturnType<typeof change>) => destroyKeysOfDisabledTotp(vault, (await done).events);

  /** @throws Refusal `password_not_configured`, or `authentication_required` to clients from elsewhere */
  const needPassword = (ctx: ManagementContext) => {
    const { password } = auth();
    if (password) return password;
    requireLocalClient(ctx);
    return refuse('password_not_configured');
  };
  const needSession = (ctx: ManagementContext): Session => {
    needPassword(ctx);
    return sessionOf(ctx, auth());
  };

  /** @returns the id of the password that was given */
  const provePassword = (ctx: ManagementContext, of: string, given: string): Promise<string> =>
    prove(ctx, {
      of,
      method: 'password',
      async check() {
        const { password } = auth();
        return password && (await passwords.matches(given, password.hash)) ? password.id : undefined;
      },
      otherwise: ['invalid_credentials'],
    });

  async function proveSetupToken(ctx: ManagementContext, given: string | null | undefined): Promise<void> {
    if (ctx.state.client.whyNotLocal === undefined) return;
    if (given === null || given === undefined) return requireLocalClient(ctx);
    await prove(ctx, {
      of: 'setup token',
      method: 'setup_token',
      check: () => setupToken?.matches(given) || undefined,
      otherwise: ['invalid_credentials', { credential: 'setup_token' }],
    });
  }

  return newRouter('/api/dashboard-auth')
    .get('/session', routes.session, (ctx) => sessionState(auth(), ctx.state.client.session))
    .post('/password/setup', routes.setUp, async (ctx) => {
      const { password, setup_token } = await bodyOf(ctx, SetUp, 'validation_error');
      if (auth().password) refuse('password_already_configured');
      await proveSetupToken(ctx, setup_token);
      const passwordId = newId();
      await change(ctx, { type: 'SetPassword', passwordId, passwordHash: await passwords.hash(password) });
      return sessionState(auth(), await sessions.begin(ctx, passwordId));
    })
    .post('/password/login', routes.login, async (ctx) => {
      needPassword(ctx);
      const { password } = await bodyOf(ctx, Password, 'validation_error');
      const passwordId = await provePassword(ctx, 'password', password);
      return sessionState(auth(), await sessions.begin(ctx, passwordId));
    })
    .post('/password/change', routes.change, async (ctx) => {
      const session = needSession(ctx);
      const { currentPassword, newPassword } = await bodyOf(ctx, Change, 'validation_error');
      const verifiedPasswordId = await provePassword(ctx, 'current password', currentPassword);
      const passwordId = newId();
      const passwordHash = await passwords.hash(newPassword);
      await change(ctx, { type: 'ChangePassword', verifiedPasswordId, passwordId, passwordHash });
      await sessions.begin(ctx, passwordId, session);
      return DONE;
    })
    .delete('/password', routes.remove, async (ctx) => {
      needSession(ctx);
      const { password } = await bodyOf(ctx, Password, 'validation_error');
      const verifiedPasswordId = await provePassword(ctx, 'current password', password);
      await forgetting(change(ctx, { type: 'RemovePassword', verifiedPasswordId }));
      cookie.clear(ctx);
      return DONE;
    })
    .post('/totp/setup/start', routes.startTotp, (ctx) => totpSetup.start(needSession(ctx)))
    .post('/totp/setup/confirm', routes.confirmTotp, async (ctx) => {
      const session = needSession(ctx);
      await totpSetup.confirm(ctx, session, await bodyOf(ctx, Confirm, 'validation_error'));
      return DONE;
    })
    .post('/totp/verify', routes.verifyTotp, async (ctx) => {
      needPassword(ctx);
      const session = ctx.state.client.session ?? refuse('authentication_required');
      const { code } = await bodyOf(ctx, Verify, 'validation_error');
      const by = await totpVerification(ctx, code);
      return sessionState(auth(), await sessions.verified(ctx, session, by));
    })
    .post('/totp/disable', routes.disableTotp, async (ctx) => {
      needSession(ctx);
      await forgetting(change(ctx, { type: 'DisableTotp' }));
      return DONE;
    })
    .post('/logout', routes.logout, async (ctx) => {
      await sessions.end(ctx);
      return DONE;
    })
    .routes();
};

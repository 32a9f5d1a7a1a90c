import { z } from 'zod';
import { iso } from '../../domain/core/brands.ts';
import { BUILT_IN_ADMINISTRATOR } from '../../domain/core/builtInAdministrator.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { credentialsOf } from '../../domain/operator/credentials.ts';
import { isInvitationValid } from '../../domain/operator/decide.ts';
import { roleSchema } from '../../domain/operator/role.ts';
import type { Operator } from '../../domain/operator/state.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { eventActor } from '../http/actor.ts';
import { readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { EVERYONE } from '../http/roles.ts';
import { normalizeLogin } from '../people/normalizeLogin.ts';
import { digestOfRecoveryCode, hashOf, inviteeOf, newRecoveryCodes } from '../people/secrets.ts';
import { requireVerifiedSession } from './access.ts';
import { WRONG_PASSKEY } from './passkeyAuth.ts';
import { AnswerChallenge, RegisterPasskey, RegistrationStart } from './passkeys/passkeyWire.ts';
import type { SignedIn } from './sessionLifecycle.ts';
import type { SignIn } from './signIn.ts';
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

const MAX_SECRET_LENGTH = 1_024;
const secret = z.string().min(1).max(MAX_SECRET_LENGTH);

const OperatorSignIn = wireObject({
  login: secret.describe('Name or e-mail address'),
  password: z.string().max(MAX_SECRET_LENGTH),
});
const ShowInvitation = wireObject({ token: secret.describe('What follows # in the invitation link') });
const StartPasskey = wireObject({ token: secret });
const AcceptInvitation = wireObject({
  token: secret,
  password: newPassword.nullish(),
  passkey: RegisterPasskey.nullish().describe('Instead of a password'),
});
const UseRecoveryCode = wireObject({ code: secret });
const Reauthenticate = wireObject({
  password: z.string().max(MAX_SECRET_LENGTH).nullish(),
  code: totpCode.nullish().describe('Of the authenticator app, where TOTP is set up and required'),
  passkey: AnswerChallenge.nullish().describe('Instead of password and code'),
});

const routes = {
  signIn: describeRoute({
    roles: EVERYONE,
    summary: 'Sign in as an operator',
    body: OperatorSignIn,
    response: SessionState,
    errors: ['validation_error', 'local_sign_in_disabled', ...WRONG_PASSWORD],
  }),
  invitation: describeRoute({
    roles: EVERYONE,
    summary: 'Show an invitation to whom it was sent',
    body: ShowInvitation,
    response: z
      .object({
        name: z.string(),
        email: z.string(),
        role: roleSchema(z),
        expiresAt: z.iso.datetime(),
        invitedBy: z.string().nullable().describe('Who made the link; null for one who was forgotten'),
        isForNewPassword: z.boolean().describe('Whether an earlier link was accepted: this one sets a new password'),
      })
      .meta({ id: 'Invitation' }),
    errors: ['validation_error', 'invalid_invitation', 'rate_limit_exceeded'],
  }),
  acceptInvitation: describeRoute({
    roles: EVERYONE,
    summary: 'Accept an invitation with a password or a passkey and sign in; the link works once',
    body: AcceptInvitation,
    response: SessionState,
    errors: [
      'validation_error',
      'local_sign_in_disabled',
      'invalid_invitation',
      'rate_limit_exceeded',
      'passkeys_unavailable',
      'passkey_challenge_expired',
      'invalid_passkey',
      'passkey_exists',
    ],
  }),
  startPasskey: describeRoute({
    roles: EVERYONE,
    summary: 'Start to accept an invitation with a passkey; the response is for navigator.credentials.create',
    body: StartPasskey,
    response: RegistrationStart,
    errors: [
      'validation_error',
      'local_sign_in_disabled',
      'invalid_invitation',
      'rate_limit_exceeded',
      'passkeys_unavailable',
    ],
  }),
  useRecoveryCode: describeRoute({
    roles: EVERYONE,
    summary: 'Verify the session with a recovery code instead of TOTP; each works once',
    body: UseRecoveryCode,
    response: SessionState,
    errors: ['validation_error', 'totp_not_configured', ...WRONG_CODE, 'authentication_required'],
  }),
  makeRecoveryCodes: describeRoute({
    roles: EVERYONE,
    isIrreversible: true,
    summary: 'Replace the own recovery codes; they are shown once',
    response: z.object({ recoveryCodes: z.array(z.string()) }),
    errors: ['totp_not_configured', ...SESSION_REQUIRED],
  }),
  reauthenticate: describeRoute({
    roles: EVERYONE,
    summary: 'Prove again who you are, for what cannot be undone',
    body: Reauthenticate,
    response: OkStatus,
    errors: ['validation_error', ...WRONG_PASSWORD, 'totp_invalid_code', ...WRONG_PASSKEY, ...SESSION_REQUIRED],
  }),
};

/** @throws Refusal `validation_error` unless the body has exactly one of the two credentials */
function requireOneOf({ password, passkey }: { readonly password: unknown; readonly passkey: unknown }): void {
  const hasPassword = typeof password === 'string';
  if (hasPassword && passkey) refuse('validation_error', { param: 'passkey', problem: 'is given beside a password' });
  if (!hasPassword && !passkey) refuse('validation_error', { param: 'password', problem: 'is missing' });
}

/** Invitations, sign-in and recovery of operators. Mounted before `requireSession`: each route checks by itself what it requires. */
export const operatorAuthRoutes = (options: Capabilities & SignIn) => {
  const { views, commands, queries, vault, ids, now, directory, actors, passwords } = options;
  const { sessions, attemptFor, checkCredential, checkPassword, verifyTotp, passkeys } = options;
  const { stateOf, requireLocalSignIn } = options;

  /** @throws Refusal `invalid_invitation`, the same one for links that are unknown, expired or used */
  function checkInvitation(ctx: ManagementContext, token: string): Promise<Operator> {
    const operatorId = inviteeOf(token);
    return checkCredential(ctx, {
      credential: 'invitation',
      method: 'invitation',
      account: operatorId,
      verify() {
        const operator = views.current.operators.byId.get(operatorId);
        return operator && isInvitationValid(operator, hashOf(token), now()) ? operator : undefined;
      },
      refusal: ['invalid_invitation'],
    });
  }

  /** The name of who made the last link of an operator, as the history has it. */
  async function inviterOf(operatorId: string): Promise<string | null> {
    const filter = { subjects: [`operator-${operatorId}`], types: ['OperatorInvited', 'OperatorInvitationRenewed'] };
    const { entries } = await queries.history.page(filter, null, 1, views.current.position);
    const [last] = entries;
    const actor = last && eventActor(last.actor, { vault, directory });
    return actor?.kind === 'operator' ? actor.name : null;
  }

  return newRouter('/api/dashboard-auth')
    .post('/login', routes.signIn, async (ctx) => {
      const { login, password } = await readBody(ctx, OperatorSignIn, 'validation_error');
      requireLocalSignIn();
      const operatorId = directory.find(login)?.id;
      const passwordId = await checkPassword(await attemptFor(ctx, operatorId), {
        credential: 'operator password',
        candidate: password,
        operatorId,
        // As it was given: an unknown name is throttled like a known one, and that of a person not together with their address.
        account: vault.digest('login', normalizeLogin(login)),
        named: 'name or password',
      });
      const signedIn = { operatorId: operatorId as string, passwordId, method: 'password' };
      return stateOf(await sessions.start(ctx, signedIn));
    })
    .post('/invitation', routes.invitation, async (ctx) => {
      const { token } = await readBody(ctx, ShowInvitation, 'validation_error');
      const { id, role, invitation, acceptedAt } = await checkInvitation(ctx, token);
      const [name, email] = [directory.nameOf(id) ?? '', directory.emailOf(id) ?? ''];
      const expiresAt = iso(invitation?.expiresAt ?? now());
      return { name, email, role, expiresAt, invitedBy: await inviterOf(id), isForNewPassword: acceptedAt !== null };
    })
    .post('/invitation/accept', routes.acceptInvitation, async (ctx) => {
      const { token, password, passkey } = await readBody(ctx, AcceptInvitation, 'validation_error');
      requireOneOf({ password, passkey });
      requireLocalSignIn();
      const { id: operatorId } = await checkInvitation(ctx, token);
      const invitationHash = hashOf(token);
      const who = { operatorId, sessionId: null, method: 'invitation', usedTotp: false };
      const cause = { ...ctx.state.cause, actor: await actors.of(ctx.state.client, who) };
      const accept = { type: 'AcceptInvitation', operatorId, invitationHash } as const;
      let signedIn: SignedIn;
      if (passkey) {
        const registered = await passkeys.registration.finish(operatorId, 'invitation', invitationHash, passkey);
        await commands.handle(subjects.operator, 'main', { ...accept, passkey: registered }, cause);
        signedIn = { operatorId, passwordId: null, passkeyId: registered.passkeyId, method: 'passkey' };
      } else {
        const passwordId = ids.newId();
        const passwordHash = await passwords.hash(password ?? '');
        await commands.handle(subjects.operator, 'main', { ...accept, passwordId, passwordHash }, cause);
        signedIn = { operatorId, passwordId, method: 'password' };
      }
      return stateOf(await sessions.start(ctx, signedIn));
    })
    .post('/invitation/passkey/start', routes.startPasskey, async (ctx) => {
      const { token } = await readBody(ctx, StartPasskey, 'validation_error');
      requireLocalSignIn();
      return passkeys.registration.start(await checkInvitation(ctx, token), 'invitation', hashOf(token));
    })
    .post('/recovery/verify', routes.useRecoveryCode, async (ctx) => {
      const session = ctx.state.client.session ?? refuse('authentication_required');
      const { operatorId } = session;
      const operator = views.current.operators.byId.get(operatorId);
      const { totp } = operator ?? {};
      if (!operator || !totp) return refuse('totp_not_configured');
      const { code } = await readBody(ctx, UseRecoveryCode, 'validation_error');
      const digest = digestOfRecoveryCode(vault, code);
      await checkCredential(ctx, {
        ...{ credential: 'recovery code', method: 'recovery_code', account: operatorId, operatorId },
        verify: () => views.current.operators.byId.get(operatorId)?.recoveryCodes.secret.includes(digest) || undefined,
        refusal: ['totp_invalid_code'],
      });
      // Of two requests with the same code, the log accepts one.
      const command = { type: 'UseRecoveryCode', operatorId, code: digest } as const;
      await commands.handle(subjects.operator, 'main', command, ctx.state.cause);
      return stateOf(await sessions.markTotpVerified(ctx, session, { totpId: totp.id, step: 0 }));
    })
    .post('/recovery/codes', routes.makeRecoveryCodes, async (ctx) => {
      const { operatorId } = requireVerifiedSession(ctx, views.current);
      if (operatorId === BUILT_IN_ADMINISTRATOR) refuse('totp_not_configured');
      const recoveryCodes = newRecoveryCodes();
      const digests = recoveryCodes.map((code) => digestOfRecoveryCode(vault, code));
      const command = { type: 'MakeRecoveryCodes', operatorId, recoveryCodes: digests } as const;
      await commands.handle(subjects.operator, 'main', command, ctx.state.cause);
      return { recoveryCodes };
    })
    .post('/reauthenticate', routes.reauthenticate, async (ctx) => {
      const session = requireVerifiedSession(ctx, views.current);
      const { operatorId } = session;
      const { password, code, passkey } = await readBody(ctx, Reauthenticate, 'validation_error');
      requireOneOf({ password, passkey });
      if (passkey) {
        const own = { purpose: 'reauthentication', boundTo: session.id, of: { operatorId } } as const;
        await passkeys.check(ctx, { ...own, body: passkey });
      } else {
        await checkPassword(ctx, { credential: 'current password', candidate: password ?? '', operatorId });
        const auth = credentialsOf(operatorId, views.current);
        if (auth?.totp && auth.isTotpRequired) {
          if (!code) return refuse('validation_error', { param: 'code', problem: 'is missing: TOTP is set up' });
          await verifyTotp(ctx, operatorId, code, (totp) => sessions.markFresh(ctx, session, totp));
          return OK_BODY;
        }
      }
      await sessions.markFresh(ctx, session);
      return OK_BODY;
    })
    .routes();
};

import { z } from 'zod';
import { iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import type { Operator } from '../../domain/operator/state.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { readBody } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { type ManagementContext, newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { EVERYONE } from '../http/roles.ts';
import { dataKeyOf } from '../people/directory.ts';
import { checkSession, requireVerifiedSession } from './access.ts';
import { CHALLENGE_MS } from './passkeyChallenges.ts';
import { descriptorsOf } from './passkeys/credentials.ts';
import { describePasskeys } from './passkeys/describePasskeys.ts';
import {
  AssertionStart,
  Passkey,
  RegisterPasskey,
  RegistrationStart,
  RenamePasskey,
  SignInWithPasskey,
} from './passkeys/passkeyWire.ts';
import { requireRelyingParty } from './passkeys/relyingParty.ts';
import type { SignIn } from './signIn.ts';
import { OK_BODY, OkStatus, SESSION_REQUIRED, SessionState } from './wire.ts';

export const WRONG_PASSKEY = [
  'passkeys_unavailable',
  'passkey_challenge_expired',
  'passkey_rejected',
  'passkey_counter_regressed',
  'rate_limit_exceeded',
] as const;

const routes = {
  relyingParty: describeRoute({
    roles: EVERYONE,
    at: { none: 'it follows from the settings of this process' },
    summary: 'Get the origin on which passkeys can be used, or why there are none',
    response: z
      .object({ origin: z.string().nullable(), problem: z.string().nullable() })
      .meta({ id: 'PasskeyRelyingParty' }),
  }),
  startSignIn: describeRoute({
    roles: EVERYONE,
    summary: 'Start to sign in with a passkey; the response is for navigator.credentials.get',
    response: AssertionStart,
    errors: ['passkeys_unavailable'],
  }),
  signIn: describeRoute({
    roles: EVERYONE,
    summary: 'Sign in as an operator with a passkey, which is both factors',
    body: SignInWithPasskey,
    response: SessionState,
    errors: ['validation_error', 'local_sign_in_disabled', 'log_unavailable', ...WRONG_PASSKEY],
  }),
  list: describeRoute({
    roles: EVERYONE,
    at: 'past',
    summary: 'List the own passkeys',
    response: z.object({ passkeys: z.array(Passkey) }),
    errors: SESSION_REQUIRED,
  }),
  startRegistration: describeRoute({
    roles: EVERYONE,
    isIrreversible: true,
    summary: 'Start to add a passkey; the response is for navigator.credentials.create',
    response: RegistrationStart,
    errors: ['passkeys_unavailable', ...SESSION_REQUIRED],
  }),
  register: describeRoute({
    roles: EVERYONE,
    isIrreversible: true,
    summary: 'Add a passkey',
    body: RegisterPasskey,
    response: Passkey,
    errors: [
      'validation_error',
      'passkeys_unavailable',
      'passkey_challenge_expired',
      'invalid_passkey',
      'passkey_exists',
      ...SESSION_REQUIRED,
    ],
  }),
  rename: describeRoute({
    roles: EVERYONE,
    summary: 'Rename an own passkey',
    body: RenamePasskey,
    response: Passkey,
    errors: ['validation_error', 'passkey_not_found', ...SESSION_REQUIRED],
  }),
  remove: describeRoute({
    roles: EVERYONE,
    isIrreversible: true,
    summary: 'Remove an own passkey, and end the sessions that began with it',
    response: OkStatus,
    errors: ['passkey_not_found', 'last_sign_in_method', ...SESSION_REQUIRED],
  }),
  startReauthentication: describeRoute({
    roles: EVERYONE,
    summary: 'Start to prove again with a passkey who you are; the response is for navigator.credentials.get',
    response: AssertionStart,
    errors: ['passkeys_unavailable', 'passkey_not_found', ...SESSION_REQUIRED],
  }),
};

/** Passkeys of operators (docs/decisions/0086-passkeys.md). Mounted before `requireSession`: each route checks what it requires. */
export const passkeyRoutes = (options: Capabilities & SignIn) => {
  const { views, commands, vault, directory, sessions, passkeys, stateOf, requireLocalSignIn } = options;
  const { relyingParty, challenges, registration, check } = passkeys;

  /** The session of an operator. @throws Refusal `authentication_required` | `totp_required` | `passkeys_unavailable` */
  function requireOperator(ctx: ManagementContext): { readonly sessionId: string; readonly operator: Operator } {
    const { id: sessionId, operatorId } = requireVerifiedSession(ctx, views.current);
    const operator = views.current.operators.byId.get(operatorId);
    if (operator) return { sessionId, operator };
    const problem = 'the built-in administrator has no passkeys: invite yourself as an operator';
    return refuse('passkeys_unavailable', { problem });
  }
  const handle = (ctx: ManagementContext, command: Parameters<typeof subjects.operator.decider.decide>[0]) =>
    commands.handle(subjects.operator, 'main', command, ctx.state.cause);
  const entryOf = (operatorId: string, passkeyId: string): z.infer<typeof Passkey> =>
    listOf(operatorId).find(({ id }) => id === passkeyId) ?? refuse('passkey_not_found', { passkeyId });
  const listOf = (operatorId: string, state = views.current): z.infer<typeof Passkey>[] =>
    describePasskeys(operatorId, state, directory).map(({ addedAt, lastUsedAt, regressedAt, ...passkey }) => ({
      ...passkey,
      addedAt: iso(addedAt),
      lastUsedAt: lastUsedAt && iso(lastUsedAt),
      counterRegressedAt: regressedAt && iso(regressedAt),
    }));

  function startAssertion(purpose: 'sign_in' | 'reauthentication', boundTo: string | null) {
    const { id: rpId } = requireRelyingParty(relyingParty);
    const { challenge, token } = challenges.start(purpose, boundTo);
    return {
      challengeToken: token,
      publicKey: { rpId, challenge: challenge.challenge, timeout: CHALLENGE_MS, userVerification: 'required' },
    };
  }

  return newRouter('/api/dashboard-auth')
    .get('/passkeys/relying-party', routes.relyingParty, () =>
      'problem' in relyingParty
        ? { origin: null, problem: relyingParty.problem }
        : { origin: relyingParty.origin, problem: null },
    )
    .post('/passkeys/sign-in/start', routes.startSignIn, () => startAssertion('sign_in', null))
    .post('/passkeys/sign-in', routes.signIn, async (ctx) => {
      const { login, ...body } = await readBody(ctx, SignInWithPasskey, 'validation_error');
      requireLocalSignIn();
      const of = typeof login === 'string' ? { of: { operatorId: directory.find(login)?.id } } : {};
      const verified = await check(ctx, { purpose: 'sign_in', boundTo: null, body, ...of });
      const session = await sessions.start(ctx, { ...verified, passwordId: null, method: 'passkey' });
      return stateOf(session);
    })
    .get('/passkeys', routes.list, async (ctx) => {
      const { operatorId } = checkSession(views.current, ctx);
      return { passkeys: listOf(operatorId, (await views.asOf(ctx)).state) };
    })
    .post('/passkeys/registration/start', routes.startRegistration, (ctx) => {
      const { sessionId, operator } = requireOperator(ctx);
      // Before the authenticator asks for a fingerprint in vain.
      ctx.state.authorizeIrreversible();
      return registration.start(operator, 'registration', sessionId);
    })
    .post('/passkeys', routes.register, async (ctx) => {
      const { sessionId, operator } = requireOperator(ctx);
      const { id: operatorId } = operator;
      const body = await readBody(ctx, RegisterPasskey, 'validation_error');
      const passkey = await registration.finish(operatorId, 'registration', sessionId, body);
      await handle(ctx, { type: 'AddPasskey', operatorId, passkey });
      return entryOf(operatorId, passkey.passkeyId);
    })
    .patch('/passkeys/:id', routes.rename, async (ctx) => {
      const { id: operatorId } = requireOperator(ctx).operator;
      const passkeyId = ctx.params.id ?? '';
      const body = await readBody(ctx, RenamePasskey, 'validation_error');
      const keyId = vault.currentKeyOf(dataKeyOf(operatorId)) ?? refuse('passkey_not_found', { passkeyId });
      await handle(ctx, { type: 'RenamePasskey', operatorId, passkeyId, name: vault.seal(keyId, body.name) });
      return entryOf(operatorId, passkeyId);
    })
    .delete('/passkeys/:id', routes.remove, async (ctx) => {
      const { id: operatorId } = requireOperator(ctx).operator;
      await handle(ctx, { type: 'RemovePasskey', operatorId, passkeyId: ctx.params.id ?? '', isOwn: true });
      return OK_BODY;
    })
    .post('/passkeys/reauthentication/start', routes.startReauthentication, (ctx) => {
      const { sessionId, operator } = requireOperator(ctx);
      const allowCredentials = descriptorsOf(operator, vault);
      if (allowCredentials.length === 0) refuse('passkey_not_found');
      const { challengeToken, publicKey } = startAssertion('reauthentication', sessionId);
      return { challengeToken, publicKey: { ...publicKey, allowCredentials } };
    })
    .routes();
};

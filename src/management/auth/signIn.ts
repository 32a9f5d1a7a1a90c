import type { z } from 'zod';
import { refuse } from '../../domain/core/refusal.ts';
import type { Session } from '../../domain/session/state.ts';
import type { Capabilities } from '../http/capabilities.ts';
import type { ConnectionInfo } from './access.ts';
import { type Actors, createActors } from './actors.ts';
import { type AttemptFor, createAttemptFor } from './attemptFor.ts';
import { type CheckCredential, createCredentialCheck } from './credentialCheck.ts';
import type { DeniedActions } from './deniedActions.ts';
import { createPasskeyServices, type PasskeyServices } from './passkeyServices.ts';
import { type CheckPassword, createPasswordCheck } from './passwordCheck.ts';
import { createPasswords, type Passwords } from './passwords.ts';
import { createSessionCookie, type SessionCookie } from './sessionCookie.ts';
import { createSessionLifecycle, type SessionLifecycle } from './sessionLifecycle.ts';
import type { SetupToken } from './setupToken.ts';
import type { SignInRecorder } from './signInRecorder.ts';
import { createTokenAuthentication, type TokenAuthentication } from './tokenAuthentication.ts';
import { createTotpVerification, type VerifyTotp } from './totpVerification.ts';
import { type SessionState, sessionState } from './wire.ts';

/** Services of dashboard sign-in. */
export interface DashboardAuthServices {
  readonly signIns: SignInRecorder;
  readonly denied: DeniedActions;
  /** Without it, the first password can be set only from this machine. */
  readonly setupToken?: SetupToken;
  readonly passwords?: Passwords;
  /** Whether operators may sign in by other means than OIDC; default true. The built-in administrator always may. */
  readonly allowsLocalSignIn?: boolean;
}

/**
 * What every way to sign in is made of: checks that are throttled, and sessions. A further way checks its credential with
 * `checkCredential` and calls `sessions.start` with the operator and its method.
 */
export interface SignIn extends Omit<Required<DashboardAuthServices>, 'setupToken'> {
  readonly setupToken: SetupToken | undefined;
  readonly cookie: SessionCookie;
  readonly actors: Actors;
  readonly attemptFor: AttemptFor;
  readonly checkCredential: CheckCredential;
  readonly checkPassword: CheckPassword;
  readonly verifyTotp: VerifyTotp;
  readonly passkeys: PasskeyServices;
  readonly sessions: SessionLifecycle;
  readonly tokens: TokenAuthentication;
  /** Renders the sign-in state of a client with this session. */
  readonly stateOf: (session: Session | undefined) => z.infer<typeof SessionState>;
  /** For sign-ins of operators by other means than OIDC. @throws Refusal `local_sign_in_disabled` */
  readonly requireLocalSignIn: () => void;
}

interface SignInOptions extends Capabilities, DashboardAuthServices {
  readonly connection: ConnectionInfo;
  readonly publicUrl: string;
  /** Sign-in by OIDC, where it is configured: how the sign-in page names the provider. */
  readonly oidc?: { readonly name: string };
}

export function createSignIn(options: SignInOptions): SignIn {
  const { views, vault, directory, now, connection, publicUrl, oidc } = options;
  const { signIns, denied, setupToken, allowsLocalSignIn = true, passwords = createPasswords() } = options;
  const cookie = createSessionCookie({ vault, now, isHttps: connection.isHttps ?? (() => false) });
  const actors = createActors(vault);
  const attemptFor = createAttemptFor(actors);
  const checkCredential = createCredentialCheck(options);
  const passkeys = createPasskeyServices({ ...options, actors, attemptFor, checkCredential });
  const { relyingParty } = passkeys;
  const ways = {
    oidc: oidc && { name: oidc.name, startUrl: `${publicUrl}/api/dashboard-auth/oidc/start` },
    allowsLocalSignIn,
    passkeyOrigin: 'problem' in relyingParty ? undefined : relyingParty.origin,
  };
  return {
    ...{ signIns, denied, setupToken, allowsLocalSignIn, passwords, cookie, actors, checkCredential },
    attemptFor,
    stateOf: (session) => sessionState(views.current, session, directory, ways),
    requireLocalSignIn() {
      if (!allowsLocalSignIn) refuse('local_sign_in_disabled');
    },
    checkPassword: createPasswordCheck({ ...options, passwords }, checkCredential),
    verifyTotp: createTotpVerification(options, checkCredential),
    passkeys,
    sessions: createSessionLifecycle({ ...options, cookie, actors }),
    tokens: createTokenAuthentication({ ...options, actors, checkCredential }),
  };
}

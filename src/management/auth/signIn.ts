import type { Capabilities } from '../http/capabilities.ts';
import type { ConnectionInfo } from './access.ts';
import { type Actors, createActors } from './actors.ts';
import { type CheckCredential, createCredentialCheck } from './credentialCheck.ts';
import type { DeniedActions } from './deniedActions.ts';
import { type CheckPassword, createPasswordCheck } from './passwordCheck.ts';
import { createPasswords, type Passwords } from './passwords.ts';
import { createSessionCookie, type SessionCookie } from './sessionCookie.ts';
import { createSessionLifecycle, type SessionLifecycle } from './sessionLifecycle.ts';
import type { SetupToken } from './setupToken.ts';
import type { SignInRecorder } from './signInRecorder.ts';
import { createTokenAuthentication, type TokenAuthentication } from './tokenAuthentication.ts';
import { createTotpVerification, type VerifyTotp } from './totpVerification.ts';

/** Services of dashboard sign-in. */
export interface DashboardAuthServices {
  readonly signIns: SignInRecorder;
  readonly denied: DeniedActions;
  /** Without it, the first password can be set only from this machine. */
  readonly setupToken?: SetupToken;
  readonly passwords?: Passwords;
}

/**
 * What every way to sign in is made of: checks that are throttled, and sessions. A further way checks its credential with
 * `checkCredential` and calls `sessions.start` with the operator and its method.
 */
export interface SignIn extends Omit<Required<DashboardAuthServices>, 'setupToken'> {
  readonly setupToken: SetupToken | undefined;
  readonly cookie: SessionCookie;
  readonly actors: Actors;
  readonly checkCredential: CheckCredential;
  readonly checkPassword: CheckPassword;
  readonly verifyTotp: VerifyTotp;
  readonly sessions: SessionLifecycle;
  readonly tokens: TokenAuthentication;
}

interface SignInOptions extends Capabilities, DashboardAuthServices {
  readonly connection: ConnectionInfo;
}

export function createSignIn(options: SignInOptions): SignIn {
  const { vault, now, connection, signIns, denied, setupToken, passwords = createPasswords() } = options;
  const cookie = createSessionCookie({ vault, now, isHttps: connection.isHttps ?? (() => false) });
  const actors = createActors(vault);
  const checkCredential = createCredentialCheck(options);
  return {
    ...{ signIns, denied, setupToken, passwords, cookie, actors, checkCredential },
    checkPassword: createPasswordCheck({ ...options, passwords }, checkCredential),
    verifyTotp: createTotpVerification(options, checkCredential),
    sessions: createSessionLifecycle({ ...options, cookie, actors }),
    tokens: createTokenAuthentication({ ...options, actors, checkCredential }),
  };
}

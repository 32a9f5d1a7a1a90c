import { z } from 'zod';
import { hasVerifiedTotp, mustSetUpTotp, needsTotp } from '../../domain/dashboardAuth/sessionChecks.ts';
import { hasOperators } from '../../domain/operator/access.ts';
import { credentialsOf } from '../../domain/operator/credentials.ts';
import { roleSchema } from '../../domain/operator/role.ts';
import type { Session } from '../../domain/session/state.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { Directory } from '../people/directory.ts';
import { isOpen, roleOf } from '../people/principal.ts';

const MIN_PASSWORD_CHARACTERS = 8;
const MAX_PASSWORD_CHARACTERS = 1_024;

/** A password that is being set. */
export const newPassword = z
  .string()
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
  .refine(
    (text) => [...text].length >= MIN_PASSWORD_CHARACTERS,
    `must have at least ${MIN_PASSWORD_CHARACTERS} characters`,
  )
  .refine((text) => text.length <= MAX_PASSWORD_CHARACTERS, `must have at most ${MAX_PASSWORD_CHARACTERS} characters`);
/** A TOTP code. */
export const totpCode = z.string().regex(/^\d{6}$/, 'must be 6 digits');

/** The ways to sign in that a sign-in page offers now. */
const SignInWays = z
  .object({
    builtIn: z.boolean().describe('POST /api/dashboard-auth/password/login, as the built-in administrator'),
    password: z.boolean().describe('POST /api/dashboard-auth/login, with name or e-mail address and password'),
    setUp: z
      .boolean()
      .describe('POST /api/dashboard-auth/password/setup, which makes the password of the built-in administrator'),
    oidc: z
      .object({
        name: z.string().describe('Of the OpenID provider, for people'),
        startUrl: z.string().describe('The page to open; takes ?next=<local path>'),
      })
      .optional()
      .describe('By OIDC, where it is configured'),
    passkey: z
      .object({ origin: z.string().describe('Of the only pages to which browsers give the passkeys') })
      .optional()
      .describe('POST /api/dashboard-auth/passkeys/sign-in/start, where passkeys are available'),
  })
  .meta({ id: 'SignInWays' });

/** The sign-in state of a client. The fields that are not in the contract are absent while there is only the built-in administrator. */
export const SessionState = z
  .object({
    isPasswordConfigured: z.boolean(),
    isPasswordVerified: z.boolean(),
    isTotpConfigured: z.boolean(),
    isTotpVerified: z.boolean(),
    isTotpRequiredOnLogin: z.boolean(),
    hasOperators: z.literal(true).optional().describe('Operators sign in with POST /api/dashboard-auth/login'),
    mustSetUpTotp: z.literal(true).optional().describe('The session may do nothing but set up TOTP'),
    signInWays: SignInWays.optional(),
    operator: z
      .object({ id: z.string(), name: z.string().nullable(), role: roleSchema(z) })
      .optional()
      .describe('Who is signed in'),
  })
  .meta({ id: 'DashboardSession' });
export const OkStatus = z.object({ status: z.literal('ok') });
export const OK_BODY = { status: 'ok' };

export const SESSION_REQUIRED = ['authentication_required', 'totp_required'] as const;
export const WRONG_PASSWORD = ['invalid_credentials', 'rate_limit_exceeded'] as const;
export const WRONG_CODE = ['totp_invalid_code', 'rate_limit_exceeded'] as const;

/** Ways to sign in that are configured. */
export interface ConfiguredWays {
  readonly oidc: { readonly name: string; readonly startUrl: string } | undefined;
  readonly allowsLocalSignIn: boolean;
  /** Undefined where there are no passkeys. */
  readonly passkeyOrigin: string | undefined;
}

/** Renders the sign-in state of a client with this session. */
export function sessionState(
  state: HotState,
  session: Session | undefined,
  directory: Directory,
  { oidc, allowsLocalSignIn, passkeyOrigin }: ConfiguredWays,
): z.infer<typeof SessionState> {
  const { dashboardAuth, operators } = state;
  const auth = (session && credentialsOf(session.operatorId, state)) ?? dashboardAuth;
  const role = session && roleOf(session.operatorId, operators);
  const isLocal = allowsLocalSignIn && hasOperators(operators);
  return {
    isPasswordConfigured: auth.password !== null,
    isPasswordVerified: session !== undefined,
    isTotpConfigured: auth.totp !== null,
    isTotpVerified: session !== undefined && hasVerifiedTotp(session, auth),
    isTotpRequiredOnLogin: session ? needsTotp(session, auth) : auth.isTotpRequired,
    ...((oidc || hasOperators(operators)) && {
      signInWays: {
        builtIn: dashboardAuth.password !== null,
        password: isLocal,
        setUp: isOpen(state),
        ...(oidc && { oidc }),
        ...(isLocal && passkeyOrigin !== undefined && { passkey: { origin: passkeyOrigin } }),
      },
    }),
    ...(hasOperators(operators) && {
      hasOperators: true as const,
      ...(session && mustSetUpTotp(session, auth) && { mustSetUpTotp: true as const }),
      ...(session &&
        role && { operator: { id: session.operatorId, name: directory.nameOf(session.operatorId), role } }),
    }),
  };
}

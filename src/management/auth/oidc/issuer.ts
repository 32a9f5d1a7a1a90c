import {
  AuthorizationResponseError,
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  ClientSecretBasic,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  clockSkew,
  clockTolerance,
  customFetch,
  discoveryRequest,
  getValidatedIdTokenClaims,
  type IDToken,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  processUserInfoResponse,
  ResponseBodyError,
  userInfoRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from 'oauth4webapi';
import type { Instant } from '../../../domain/core/brands.ts';
import { isLoopbackUrl } from '../../../lib/isLoopbackUrl.ts';
import { type Claims, hasClaim } from './claims.ts';
import { type IssuerFetch, IssuerUnavailable } from './issuerFetch.ts';

export interface IssuerOptions {
  /** `SVC_OIDC_ISSUER` */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: string;
  /** The claim that rules for roles read; undefined without rules. */
  readonly roleClaim: string | undefined;
  /** Below `SVC_PUBLIC_URL`. */
  readonly redirectUri: string;
  readonly fetch: IssuerFetch;
  readonly now: () => Instant;
}

/** What belongs to one flow, and must come back. */
export interface FlowSecrets {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE. */
  readonly verifier: string;
}

/** What the provider has confirmed of the person who signed in. */
export interface Confirmed {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Claims;
  /** When they proved who they are to the provider, in seconds since 1970; undefined where it does not say. */
  readonly authTime: number | undefined;
}

/** The person or the provider did not want to. */
export class SignInDeclined extends Error {
  override readonly name = 'SignInDeclined';
}

/** The response is not one to this flow, or the provider does not confirm it. The message says what is wrong, without secrets. */
export class ResponseRejected extends Error {
  override readonly name = 'ResponseRejected';
}

/** The OpenID provider. */
export interface Issuer {
  /** @param isFresh whether the person must prove again who they are @returns where they sign in @throws IssuerUnavailable */
  urlFor(flow: FlowSecrets, isFresh: boolean): Promise<string>;
  /**
   * Exchanges the code of a response, and checks the ID token.
   * @throws IssuerUnavailable | SignInDeclined | ResponseRejected
   */
  confirm(response: URLSearchParams, flow: FlowSecrets): Promise<Confirmed>;
}

/** What clocks of svc and the provider may differ. */
const TOLERANCE_SECONDS = 60;
const METADATA_MS = 5 * 60_000;
/** RFC 6749 section 4.1.2.1: the person refused, or did not sign in. */
const DECLINED = new Set(['access_denied', 'login_required', 'interaction_required', 'consent_required']);
/** The provider is not well; it may be soon. */
const TEMPORARY = new Set(['server_error', 'temporarily_unavailable']);

/** Sign-in at an OpenID provider by code flow with PKCE (docs/decisions/0088-oidc-sign-in.md). */
export function createIssuer(options: IssuerOptions): Issuer {
  const { issuer, clientId, clientSecret, scopes, roleClaim, redirectUri, fetch, now } = options;
  const issuerUrl = new URL(issuer);
  const calls = { [customFetch]: fetch as never, [allowInsecureRequests]: isLoopbackUrl(issuerUrl) };
  let known: { readonly server: AuthorizationServer; readonly at: Instant } | undefined;
  let pending: Promise<AuthorizationServer> | undefined;

  const client = (): Client => ({
    client_id: clientId,
    [clockTolerance]: TOLERANCE_SECONDS,
    // By the clock of the service.
    [clockSkew]: Math.round((now() - Date.now()) / 1_000),
  });

  async function discover(): Promise<AuthorizationServer> {
    const response = await discoveryRequest(issuerUrl, calls);
    const server = await processDiscoveryResponse(issuerUrl, response).catch((error: Error) => {
      throw new IssuerUnavailable(`the metadata of ${issuer} cannot be used: ${error.message}`);
    });
    for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
      const url = URL.parse(server[name] ?? '');
      if (!url || (url.protocol !== 'https:' && !isLoopbackUrl(url))) {
        throw new IssuerUnavailable(`the metadata of ${issuer} has no ${name} with https`);
      }
    }
    known = { server, at: now() };
    return server;
  }

  async function metadata(): Promise<AuthorizationServer> {
    const age = known ? now() - known.at : Number.POSITIVE_INFINITY;
    if (known && age >= 0 && age < METADATA_MS) return known.server;
    pending ??= discover().finally(() => {
      pending = undefined;
    });
    return pending;
  }

  function clientAuthentication({ token_endpoint_auth_methods_supported: methods }: AuthorizationServer) {
    const isBasic = methods === undefined || methods.includes('client_secret_basic');
    return isBasic ? ClientSecretBasic(clientSecret) : ClientSecretPost(clientSecret);
  }

  /** What the ID token lacks of address and roles; many providers keep these for UserInfo. */
  async function furtherClaims(server: AuthorizationServer, token: IDToken, accessToken: string): Promise<Claims> {
    const needed = ['email', 'email_verified', ...(roleClaim === undefined ? [] : [roleClaim])];
    if (server.userinfo_endpoint === undefined || needed.every((claim) => hasClaim(token, claim))) return {};
    const response = await userInfoRequest(server, client(), accessToken, calls);
    return processUserInfoResponse(server, client(), token.sub, response);
  }

  return {
    async urlFor({ state, nonce, verifier }, isFresh) {
      const { authorization_endpoint } = await metadata();
      const url = new URL(authorization_endpoint as string);
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: scopes,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(isFresh && { prompt: 'login', max_age: '0' }),
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },

    async confirm(response, { state, nonce, verifier }) {
      // A copy, because oauth4webapi keeps the keys of a server with its object, and a withdrawn key must not count.
      const server = { ...(await metadata()) };
      try {
        const valid = validateAuthResponse(server, client(), response, state);
        const exchange = await authorizationCodeGrantRequest(
          ...([server, client(), clientAuthentication(server), valid, redirectUri, verifier, calls] as const),
        );
        const tokens = await processAuthorizationCodeResponse(server, client(), exchange, {
          expectedNonce: nonce,
          requireIdToken: true,
        });
        await validateApplicationLevelSignature(server, exchange, calls);
        const token = getValidatedIdTokenClaims(tokens) as IDToken;
        const further = await furtherClaims(server, token, tokens.access_token);
        const authTime = token.auth_time;
        return { issuer: token.iss, subject: token.sub, claims: { ...further, ...token }, authTime };
      } catch (error) {
        throw failureOf(error);
      }
    },
  };
}

function failureOf(error: unknown): Error {
  if (error instanceof IssuerUnavailable) return error;
  if (error instanceof AuthorizationResponseError) {
    if (DECLINED.has(error.error)) return new SignInDeclined(error.error);
    const said = `the OpenID provider responded with ${shown(error.error)}`;
    return TEMPORARY.has(error.error) ? new IssuerUnavailable(said) : new ResponseRejected(said);
  }
  if (error instanceof ResponseBodyError) {
    return new ResponseRejected(`the token endpoint of the OpenID provider responded with ${shown(error.error)}`);
  }
  return new ResponseRejected(error instanceof Error ? shown(error.message) : 'unknown');
}

const MAX_SHOWN = 200;
/** A text from outside, for a line. */
const shown = (text: string) => text.slice(0, MAX_SHOWN);

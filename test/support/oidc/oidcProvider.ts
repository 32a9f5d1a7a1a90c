import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Provider, { type Configuration } from 'oidc-provider';

/** Claims of a person by their subject. */
export type People = Map<string, Record<string, unknown>>;

export interface OidcClient {
  readonly id: string;
  readonly secret: string;
}

/** What a test changes while the provider runs. */
export interface OidcScript {
  readonly people: People;
  /** Changes a response of the token endpoint on its way, as a provider under attack would. */
  onTokens: ((body: Record<string, unknown>) => Record<string, unknown>) | undefined;
  /** Answers instead of the provider; undefined: the provider answers. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

export interface OidcProviderOptions {
  /** Where the clients may be sent back to. */
  readonly redirectUris: readonly string[];
  readonly people?: Record<string, Record<string, unknown>>;
  /** Whether ID tokens have the claims of scopes; by default only UserInfo has them, as OpenID Connect recommends. */
  readonly hasClaimsInIdToken?: boolean;
  /** Whether ID tokens say when the person signed in, without being asked. */
  readonly hasAuthTime?: boolean;
  /** Whether responses name the issuer (RFC 9207); default true. */
  readonly namesIssuer?: boolean;
}

export interface OidcProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly client: OidcClient;
  /** Another client of the same provider. */
  readonly otherClient: OidcClient;
  readonly script: OidcScript;
  /** Paths that svc has called, in order. */
  readonly calls: string[];
  /** Signs with a new key from now on; the old one is gone. */
  rotateKeys(): void;
  stop(): Promise<void>;
}

const newClient = (id: string): OidcClient => ({ id, secret: randomBytes(32).toString('base64url') });

/** Made once: to make an RSA key takes up to a second. */
const keys = new Map<number, object>();
function keyOf(generation: number): object {
  const known =
    keys.get(generation) ?? generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ format: 'jwk' });
  keys.set(generation, known);
  return { ...known, use: 'sig', alg: 'RS256', kid: `key ${generation}` };
}

/** How long what the provider gives is valid, in seconds. */
const TTL = { AccessToken: 600, Grant: 3_600, IdToken: 3_600, Interaction: 600, Session: 3_600 };

/**
 * A real OpenID provider, the npm package oidc-provider, on a port of its own. People sign in on a page with their subject: a browser by
 * the form, and `oidcVisitor` without one.
 */
export async function startOidcProvider(options: OidcProviderOptions): Promise<OidcProvider> {
  const { redirectUris, people = {}, hasClaimsInIdToken = false, hasAuthTime = false, namesIssuer = true } = options;
  const [client, otherClient] = [newClient('svc'), newClient('another')];
  const script: OidcScript = { people: new Map(Object.entries(people)), onTokens: undefined, intercept: undefined };
  const calls: string[] = [];
  const cookieKey = randomUUID();
  let generation = 0;
  let provider: Provider | undefined;

  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname;
    calls.push(path);
    if (script.intercept?.(request, response)) return;
    if (path.startsWith('/interaction/')) void interact(request, response);
    else void provider?.callback()(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Another site than svc at 127.0.0.1, so that browsers treat the way back as one between sites.
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;

  function create(): Provider {
    const configuration: Configuration = {
      clients: [client, otherClient].map(({ id, secret }) => ({
        client_id: id,
        client_secret: secret,
        redirect_uris: [...redirectUris],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        require_auth_time: hasAuthTime,
      })),
      jwks: { keys: [keyOf(generation)] } as never,
      ttl: TTL,
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
      scopes: ['openid', 'email', 'profile', 'groups'],
      conformIdTokenClaims: !hasClaimsInIdToken,
      cookies: { keys: [cookieKey] },
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub, ...script.people.get(sub) }) }),
      // It asks for no consent.
      async loadExistingGrant(ctx) {
        const { oidc } = ctx;
        const grant = new oidc.provider.Grant({
          clientId: oidc.client?.clientId ?? '',
          accountId: oidc.session?.accountId ?? '',
        });
        grant.addOIDCScope('openid email profile groups');
        await grant.save();
        return grant;
      },
    };
    const created = new Provider(issuer, configuration);
    created.use(async (ctx, next) => {
      await next();
      if (ctx.path === '/token' && ctx.status === 200 && script.onTokens) ctx.body = script.onTokens(ctx.body as never);
      if (ctx.path === '/.well-known/openid-configuration' && !namesIssuer) {
        const { authorization_response_iss_parameter_supported: _, ...rest } = ctx.body as Record<string, unknown>;
        ctx.body = rest;
      }
    });
    return created;
  }

  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (request.method === 'POST') {
        const form = new URLSearchParams(await text(request));
        const result = form.has('cancel')
          ? { error: 'access_denied', error_description: 'The person cancelled' }
          : { login: { accountId: form.get('login') ?? '' } };
        await provider?.interactionFinished(request, response, result);
        return;
      }
      await provider?.interactionDetails(request, response);
      response.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE);
    } catch (error) {
      response.writeHead(400).end(String(error));
    }
  }

  provider = create();
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    ...{ issuer, client, otherClient, script, calls, stop },
    rotateKeys: () => {
      generation += 1;
      provider = create();
    },
    [Symbol.asyncDispose]: stop,
  };
}

const PAGE = `<!doctype html><title>Example provider</title>
<form method="post"><label>Subject <input name="login" autofocus></label> <button>Continue</button> <button name="cancel">Cancel</button></form>`;

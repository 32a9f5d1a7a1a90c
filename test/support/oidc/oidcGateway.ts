import { onTestFinished } from 'vitest';
import { forwardPort } from '../forwardedPort.ts';
import { type Gateway, type GatewayOptions, startGateway } from '../gateway.ts';
import { type OidcProvider, type OidcProviderOptions, startOidcProvider } from './oidcProvider.ts';

export interface OidcGatewayOptions extends GatewayOptions {
  readonly oidcPeople: NonNullable<OidcProviderOptions['people']>;
  /** The name in SVC_PUBLIC_URL, which leads to this machine. */
  readonly hostname?: string;
}

export interface OidcGateway {
  readonly gateway: Gateway;
  readonly oidc: OidcProvider;
  /** SVC_PUBLIC_URL */
  readonly publicUrl: string;
}

/** The service with sign-in at a real OpenID provider; both end with the test. */
export async function startOidcGateway(options: OidcGatewayOptions): Promise<OidcGateway> {
  const { oidcPeople, hostname = '127.0.0.1', env, ...rest } = options;
  const front = await forwardPort();
  onTestFinished(() => front.close());
  const publicUrl = `http://${hostname}:${front.port}`;
  const redirectUris = [`${publicUrl}/api/dashboard-auth/oidc/callback`];
  const oidc = await startOidcProvider({ redirectUris, people: oidcPeople });
  onTestFinished(() => oidc.stop());
  const gateway = await startGateway({
    accounts: 0,
    ...rest,
    env: {
      SVC_PUBLIC_URL: publicUrl,
      SVC_OIDC_ISSUER: oidc.issuer,
      SVC_OIDC_CLIENT_ID: oidc.client.id,
      SVC_OIDC_CLIENT_SECRET: oidc.client.secret,
      SVC_OIDC_NAME: 'Example',
      ...env,
    },
  });
  onTestFinished(() => gateway.stop());
  front.to(Number(new URL(gateway.url).port));
  return { gateway, oidc, publicUrl };
}

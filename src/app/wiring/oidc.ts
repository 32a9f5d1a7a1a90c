import { parseRoleRules } from '../../domain/operator/roleRules.ts';
import { createIssuer } from '../../management/auth/oidc/issuer.ts';
import { createIssuerFetch } from '../../management/auth/oidc/issuerFetch.ts';
import type { OidcServices } from '../../management/auth/oidc/oidcAuth.ts';
import type { AgentFor } from '../../provider/outgoingProxy/outgoingProxies.ts';
import type { Foundation } from './foundation.ts';

/** Sign-in by OIDC; undefined where it is not configured. */
export function createOidc(
  { config, now, faults }: Pick<Foundation, 'config' | 'now' | 'faults'>,
  { agentFor, publicUrl }: { readonly agentFor: AgentFor; readonly publicUrl: string },
): OidcServices | undefined {
  const { SVC_OIDC_ISSUER: issuer, SVC_OIDC_CLIENT_ID: clientId, SVC_OIDC_CLIENT_SECRET: clientSecret } = config;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  const { SVC_OIDC_ROLES: rules, SVC_OIDC_ROLE_CLAIM: roleClaim } = config;
  return {
    name: config.SVC_OIDC_NAME ?? new URL(issuer).host,
    issuer: createIssuer({
      ...{ issuer, clientId, clientSecret, scopes: config.SVC_OIDC_SCOPES },
      roleClaim: rules === undefined ? undefined : roleClaim,
      redirectUri: `${publicUrl}/api/dashboard-auth/oidc/callback`,
      fetch: createIssuerFetch({ agentFor }),
      now,
    }),
    roleRules: rules === undefined ? [] : parseRoleRules(rules),
    roleClaim,
    faults,
  };
}

import { InvalidRoleRules, parseRoleRules } from '../../domain/operator/roleRules.ts';
import { isLoopbackUrl } from '../../lib/isLoopbackUrl.ts';

/** Checks the issuer. It is not changed in any way: tokens name it exactly so, with or without a slash at its end. */
export function checkIssuer(text: string, { addIssue }: { addIssue: (message: string) => void }): void {
  const url = URL.parse(text);
  if (!url || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackUrl(url)))) {
    addIssue('must be an https URL such as https://accounts.example.com; http is for a provider on this machine only');
  } else if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    addIssue('must have no query, fragment or credentials');
  } else if (url.pathname.endsWith('/.well-known/openid-configuration')) {
    addIssue('must be the issuer: leave out /.well-known/openid-configuration');
  }
}

/** Checks rules such as `svc-admins=administrator; svc-staff=member`. */
export function checkRoleRules(text: string, { addIssue }: { addIssue: (message: string) => void }): void {
  try {
    parseRoleRules(text);
  } catch (error) {
    if (!(error instanceof InvalidRoleRules)) throw error;
    addIssue(error.message);
  }
}

const TOGETHER = ['SVC_OIDC_ISSUER', 'SVC_OIDC_CLIENT_ID', 'SVC_OIDC_CLIENT_SECRET'] as const;
const OF_OIDC = ['SVC_OIDC_SCOPES', 'SVC_OIDC_NAME', 'SVC_OIDC_ROLES', 'SVC_OIDC_ROLE_CLAIM'] as const;

/** What settings of sign-in by OIDC lack together, each as a line that begins with the name of a setting. @param given the set ones */
export function missingForOidc(
  given: Readonly<Record<string, string | undefined>>,
  allowsLocalSignIn: boolean,
): string[] {
  const isSet = (name: string) => given[name] !== undefined;
  const used = [...TOGETHER, ...OF_OIDC].filter(isSet);
  if (used.length === 0) {
    if (allowsLocalSignIn) return [];
    return [
      `SVC_LOCAL_SIGN_IN: cannot be false without OIDC, because operators could not sign in at all: set ${TOGETHER.join(', ')}`,
    ];
  }
  const lines = TOGETHER.filter((name) => !isSet(name)).map(
    (name) => `${name}: is missing, and ${used[0]} is set: sign-in by OIDC needs ${TOGETHER.join(', ')}`,
  );
  if (!isSet('SVC_PUBLIC_URL')) {
    lines.push(
      'SVC_PUBLIC_URL: is missing: the OpenID provider sends people back to it. Set the address under which they open the dashboard, such as https://svc.example.com',
    );
  }
  if (isSet('SVC_OIDC_ROLE_CLAIM') && !isSet('SVC_OIDC_ROLES')) {
    lines.push(
      'SVC_OIDC_ROLES: is missing: without rules SVC_OIDC_ROLE_CLAIM gives no role, e.g. svc-admins=administrator',
    );
  }
  return lines;
}

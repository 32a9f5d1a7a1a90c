import type { Schemas } from '../api/client.ts';

/** Events of an operator who has not signed in. */
const UNAUTHENTICATED = new Set(['SignInFailed', 'OperatorSignInFailed', 'SignInsThrottled']);

/** Names the actor of an event in a few words. */
export function describeActor(actor: Schemas['Actor'], eventType: string): string {
  switch (actor.kind) {
    case 'operator':
      if (actor.operator_id === 'unknown' || (actor.session_id === null && UNAUTHENTICATED.has(eventType)))
        return `unauthenticated, from ${addressOf(actor)}`;
      return `${personOf(actor)} at ${addressOf(actor)}${actor.used_totp ? ' (with 2FA)' : ''}`;
    case 'api_key':
      return 'an API key';
    case 'anonymous':
      return 'a client without a key';
    case 'cli':
      return `${actor.user ?? 'an unknown user'} with \`svc ${actor.command}\``;
    case 'system':
      return 'System';
  }
}

/** A person by name, with the management token that acted for them. */
function personOf(actor: Extract<Schemas['Actor'], { kind: 'operator' }>): string {
  const { operator_id: id, name, token_name: token, token_id: tokenId } = actor;
  const person = name ?? `a forgotten person (${id.slice(0, 8)})`;
  return tokenId === null ? person : `the token ${token === null ? tokenId : `"${token}"`} of ${person}`;
}

/** How an operator was signed in, where that was not the password. */
export function methodText({ method }: { readonly method: string | null }): string | undefined {
  const texts: Readonly<Record<string, string>> = {
    ...{ oidc: 'single sign-on', passkey: 'passkey', invitation: 'invitation link', token: 'management token' },
  };
  return method === null || method === 'password' ? undefined : (texts[method] ?? method);
}

/** The address of an operator, which is forgotten with the key that sealed it. */
export const addressOf = ({ address }: { readonly address: string | null }): string => address ?? 'an unknown address';

/** "Firefox on Linux": enough of the user agent for operators to recognise their own browser. */
export function browserOf(userAgent: string | null): string {
  if (userAgent === null) return 'unknown client';
  const [browser] = [
    [/Edg\//, 'Edge'],
    [/OPR\//, 'Opera'],
    [/Firefox\//, 'Firefox'],
    [/(Chrome|Chromium)\//, 'Chrome'],
    [/Safari\//, 'Safari'],
    [/curl\//, 'curl'],
  ].filter(([pattern]) => (pattern as RegExp).test(userAgent)) as [RegExp, string][];
  const [system] = [
    [/Windows/, 'Windows'],
    [/iPhone|iPad/, 'iOS'],
    [/Mac OS X/, 'macOS'],
    [/Android/, 'Android'],
    [/Linux/, 'Linux'],
  ].filter(([pattern]) => (pattern as RegExp).test(userAgent)) as [RegExp, string][];
  const name = browser?.[1] ?? (userAgent.split(/[\s/]/, 1)[0] || 'unknown client');
  return system ? `${name} on ${system[1]}` : name;
}

import type { Schemas } from '../api/client.ts';

/** Who did something, in a few words. */
export function who(actor: Schemas['Actor']): string {
  switch (actor.kind) {
    case 'operator':
      return `an operator at ${actor.address}${actor.used_totp ? ' (with 2FA)' : ''}`;
    case 'api_key':
      return 'an API key';
    case 'anonymous':
      return 'a client without a key';
    case 'cli':
      return `${actor.user ?? 'an unknown user'} with \`svc ${actor.command}\``;
    case 'system':
      return 'the system';
  }
}

/** "Firefox on Linux": enough of a user agent to recognise one's own. */
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

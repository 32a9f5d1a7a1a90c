const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An unsigned token. Its third part is not empty, because Codex refuses that. */
export const unsignedJwt = (claims: Record<string, unknown>): string =>
  `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.${Buffer.from('unsigned').toString('base64url')}`;

/** The claims of a token, for assertions. */
export const claimsOf = (jwt: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8'));

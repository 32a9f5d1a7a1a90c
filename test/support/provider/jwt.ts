const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token of the right form that nobody signed: three non-empty parts, because the official CLI refuses an empty one. */
export const unsignedJwt = (claims: Record<string, unknown>): string =>
  `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.${Buffer.from('unsigned').toString('base64url')}`;

/** What a token says of itself, for assertions. */
export const claimsOf = (jwt: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8'));

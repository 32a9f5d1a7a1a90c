import { personEmail, personName } from '../../people/profileSchema.ts';

/** What the OpenID provider says of a person, from the ID token and, where that lacks it, from UserInfo. */
export type Claims = Readonly<Record<string, unknown>>;

/** Groups beyond it are ignored: providers send a link instead of more. */
const MAX_VALUES = 2_000;
const MAX_NAME_LENGTH = 128;

/** A text without what is invisible, cut; people do not choose it here, so that it is mended instead of refused. */
const textIn = (value: unknown): string =>
  (typeof value === 'string' ? value : '')
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '')
    .slice(0, MAX_NAME_LENGTH)
    .trim();

/** The e-mail address of a person; undefined without one that an operator can have. */
export function emailIn({ email }: Claims): string | undefined {
  const { success, data } = personEmail.safeParse(email);
  return success ? data : undefined;
}

/** Whether the provider has verified the address. Some send the text "true"; anything else is no. */
export const isEmailVerified = ({ email_verified: verified }: Claims): boolean =>
  verified === true || verified === 'true';

/** Addresses are one if they differ in ASCII case only: other foldings would make `k` of a Kelvin sign. */
export const isSameAddress = (left: string, right: string): boolean => lowerAscii(left) === lowerAscii(right);
const lowerAscii = (text: string) => text.trim().replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The name to show of a person; undefined without one that an operator can have. */
export function nameIn(claims: Claims): string | undefined {
  const { name, given_name: given, family_name: family, preferred_username: user } = claims;
  const both = `${textIn(given)} ${textIn(family)}`;
  return [name, both, user, emailIn(claims)].map(textIn).find((text) => personName.safeParse(text).success);
}

/** A name that others do not have: with the address behind it. */
export const nameWithEmail = (name: string, email: string): string =>
  `${name.slice(0, Math.max(0, MAX_NAME_LENGTH - email.length - 3))} (${email})`.trim().slice(0, MAX_NAME_LENGTH);

/**
 * The values of a claim: a text or a list of texts.
 * @param claim its name. With dots it is a path if no claim has the whole name: `realm_access.roles` of Keycloak
 */
export function valuesIn(claims: Claims, claim: string): ReadonlySet<string> {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : atPath(claims, claim.split('.'));
  const values = Array.isArray(value) ? value.slice(0, MAX_VALUES) : [value];
  return new Set(values.filter((each) => typeof each === 'string'));
}

/** Whether the claim is there, with or without values. */
export const hasClaim = (claims: Claims, claim: string): boolean =>
  Object.hasOwn(claims, claim) || atPath(claims, claim.split('.')) !== undefined;

function atPath(claims: Claims, path: readonly string[]): unknown {
  let value: unknown = claims;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

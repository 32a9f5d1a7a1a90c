import { type Instant, instant } from '../../domain/core/brands.ts';
import { asObject, type JsonObject, objectIn, textOrNull } from './json.ts';

/** Who an id token speaks for; null for what it does not say. */
export interface Identity {
  readonly upstreamAccountId: string | null;
  readonly email: string | null;
  readonly displayName: string | null;
  /** In the spelling of `planOf`. */
  readonly planType: string | null;
}

const AUTH = 'https://api.openai.com/auth';
const PROFILE = 'https://api.openai.com/profile';
const KNOWN_PLANS: ReadonlySet<string> = new Set([
  'free',
  'plus',
  'pro',
  'prolite',
  'team',
  'business',
  'enterprise',
  'edu',
]);

/**
 * What a token says of itself; undefined when it is no JWT. Never throws. Nobody checked the signature: that is the provider's
 * business.
 */
export const claimsOf = (token: string): JsonObject | undefined =>
  objectIn(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));

/** When a token runs out (`exp`, in seconds, a number or a numeric string); null when it does not say. */
export function expiryOf(token: string): Instant | null {
  const exp = claimsOf(token)?.exp;
  const seconds = typeof exp === 'number' ? exp : typeof exp === 'string' && exp.trim() !== '' ? Number(exp) : NaN;
  const ms = Math.floor(seconds * 1_000);
  return Number.isNaN(new Date(ms).getTime()) ? null : instant(ms);
}

/**
 * The identity in an id token; undefined when the token cannot be read, which is no error. The provider's own object
 * comes before claims of the same name at the top (docs/provider.md#identity-claims-in-the-id-token).
 */
export function identityOf(idToken: string): Identity | undefined {
  const claims = claimsOf(idToken);
  if (!claims) return undefined;
  const auth = asObject(claims[AUTH]);
  const claim = (name: string) => textOrNull(auth?.[name]) ?? textOrNull(claims[name]);
  const plan = claim('chatgpt_plan_type');
  return {
    upstreamAccountId: claim('chatgpt_account_id'),
    email: textOrNull(claims.email) ?? textOrNull(asObject(claims[PROFILE])?.email),
    displayName: textOrNull(claims.name),
    planType: plan === null ? null : planOf(plan),
  };
}

/** Plans that we know in lower case, all others as the provider spells them. */
export function planOf(plan: string): string {
  const trimmed = plan.trim();
  const lower = trimmed.toLowerCase();
  return KNOWN_PLANS.has(lower) ? lower : trimmed.toWellFormed();
}

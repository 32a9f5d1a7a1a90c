import { isRegion } from '../../domain/account/region.ts';
import { type Instant, instant } from '../../domain/core/brands.ts';
import { asObject, type JsonObject, objectIn, textOrNull } from './json.ts';

/** The identity in an id token; null for missing claims. */
export interface Identity {
  readonly upstreamAccountId: string | null;
  readonly email: string | null;
  readonly displayName: string | null;
  /** As spelled by `planOf`. */
  readonly planType: string | null;
}

/** Of a plan that svc does not know. */
const MAX_PLAN_CHARACTERS = 100;
/** Of a display name, which is only shown. */
const MAX_NAME_CHARACTERS = 200;
/** RFC 5321, section 4.5.3.1: 64 characters, an @ and 255. */
const MAX_EMAIL_CHARACTERS = 320;

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

/** @returns the claims of a JWT; undefined for other text. Never throws. Only the provider checks the signature. */
export const readClaims = (token: string): JsonObject | undefined =>
  objectIn(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));

/** @returns when a token expires (`exp`, in seconds, a number or a numeric string); null without that claim */
export function expiryOf(token: string): Instant | null {
  const exp = readClaims(token)?.exp;
  const seconds = typeof exp === 'number' ? exp : typeof exp === 'string' && exp.trim() !== '' ? Number(exp) : NaN;
  const ms = Math.floor(seconds * 1_000);
  return Number.isNaN(new Date(ms).getTime()) ? null : instant(ms);
}

/**
 * Reads the identity from an id token. Claims in the provider's own object take precedence over those at the top level
 * (docs/provider.md#identity-claims-in-the-id-token).
 * @returns undefined if the token is not a JWT, which is not an error
 */
export function identityOf(idToken: string): Identity | undefined {
  const claims = readClaims(idToken);
  if (!claims) return undefined;
  const auth = asObject(claims[AUTH]);
  const claim = (name: string) => textOrNull(auth?.[name]) ?? textOrNull(claims[name]);
  const plan = claim('chatgpt_plan_type');
  return {
    upstreamAccountId: claim('chatgpt_account_id'),
    email: emailOrNull(claims.email) ?? emailOrNull(asObject(claims[PROFILE])?.email),
    displayName: textOrNull(claims.name)?.slice(0, MAX_NAME_CHARACTERS).toWellFormed() ?? null,
    planType: plan === null ? null : planOf(plan),
  };
}

/**
 * Reads where the account's workspace requires model requests to be processed: the claim of the region of computing, else that of the
 * region of storage (docs/provider.md#residency).
 * @returns null if anywhere will do, or if the token does not say it
 */
export function residencyOf(accessToken: string): string | null {
  const claims = readClaims(accessToken);
  const auth = asObject(claims?.[AUTH]);
  const claim = (name: string) => textOrNull(auth?.[name]) ?? textOrNull(claims?.[name]);
  const region = claim('chatgpt_compute_residency') ?? claim('chatgpt_data_residency');
  return region !== null && region !== 'no_constraint' && isRegion(region) ? region : null;
}

/** @returns null also for a text that is too long for an address */
function emailOrNull(value: unknown): string | null {
  const text = textOrNull(value);
  return text !== null && text.length <= MAX_EMAIL_CHARACTERS ? text : null;
}

/** @returns known plans in lower case, others as the provider spells them */
export function planOf(plan: string): string {
  const trimmed = plan.trim().slice(0, MAX_PLAN_CHARACTERS);
  const lower = trimmed.toLowerCase();
  return KNOWN_PLANS.has(lower) ? lower : trimmed.toWellFormed();
}

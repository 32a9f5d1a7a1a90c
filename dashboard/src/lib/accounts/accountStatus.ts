import type { Schemas } from '#lib/api/client.ts';
import { failureText } from '#lib/format/outcomes.ts';
import { type Pace, paceOf } from '#lib/format/pace.ts';

type Account = Schemas['Account'];
export type Tone = 'good' | 'warn' | 'bad' | 'neutral';

/** The status of an account for display. */
export interface AccountStatus {
  readonly tone: Tone;
  readonly label: string;
  readonly detail: string | null;
  /** When it ends without any action. */
  readonly until: string | null;
}

/** Whether an account can serve, why not, and until when. */
export function accountStatusOf({
  availability,
  deactivation_reason,
  health,
}: Pick<Account, 'availability' | 'deactivation_reason' | 'health'>): AccountStatus {
  const { state, reason, until } = availability;
  if (isFailing({ availability, health })) {
    return { tone: 'bad', label: 'Failing', detail: rateText(health), until };
  }
  switch (state) {
    case 'available':
      return { tone: 'good', label: 'Active', detail: null, until: null };
    case 'paused':
      return { tone: 'neutral', label: 'Paused', detail: 'Gets no requests until it is reactivated', until: null };
    case 'deactivated':
      return { tone: 'bad', label: 'Deactivated', detail: deactivation_reason ?? reason, until: null };
    case 'rate_limited':
      return { tone: 'warn', label: 'Rate-limited', detail: sentence(reason), until };
    case 'quota_exceeded':
      return { tone: 'bad', label: 'Quota exceeded', detail: sentence(reason), until };
    case 'cooling':
      return { tone: 'warn', label: 'Cooling down', detail: sentence(reason), until };
  }
}

/** Whether an account gets requests and fails them. */
export const isFailing = ({ availability: { state }, health }: Pick<Account, 'availability' | 'health'>): boolean =>
  health.state === 'failing' && (state === 'available' || state === 'cooling');

/** "3 of the last 4 attempts failed" */
export const rateText = ({ attempts, failures }: Account['health']): string =>
  attempts === 1
    ? `The last attempt ${failures === 1 ? 'failed' : 'succeeded'}`
    : `${failures} of the last ${attempts} attempts failed`;

/** How the last failed attempt ended; null before the first one. */
export const lastFailureText = ({ last_failure: last }: Account['health']): string | null =>
  last && failureText({ outcome: last.class, status: last.provider_status, code: last.code, errno: last.errno });

const sentence = (text: string | null) => (text ? text.charAt(0).toUpperCase() + text.slice(1) : null);

/** Whether the tokens of an account still work. */
export function tokenStatusOf({ status, auth }: Pick<Account, 'status' | 'auth'>): {
  tone: Tone;
  label: string;
  detail: string;
} {
  if (auth.refresh.state !== 'stored') {
    return { tone: 'bad', label: 'Missing', detail: 'The refresh token is missing. Sign in again.' };
  }
  if (status === 'deactivated') {
    return { tone: 'bad', label: 'Rejected', detail: 'The provider rejects these tokens. Sign in again.' };
  }
  if (auth.access.state === 'expired') {
    return {
      tone: 'neutral',
      label: 'Refresh due',
      detail: 'The access token has expired. The next request refreshes it.',
    };
  }
  return { tone: 'good', label: 'Valid', detail: 'The access token is valid and is refreshed before it expires.' };
}

/** Whether only another sign-in helps: reactivating alone would last until the next request. */
export const needsSignIn = (account: Pick<Account, 'status' | 'auth'>): boolean =>
  tokenStatusOf(account).tone === 'bad';

export interface UsageWindow {
  readonly name: string;
  readonly remaining: number;
  readonly resetAt: string | null;
  readonly minutes: number;
  readonly capacity: number;
  readonly left: number;
  /** Whether the provider has reported this window. */
  readonly isKnown: boolean;
}

/** Whether a window lasts until its reset. @param now in ms since 1970 */
export function paceOfWindow({ remaining, resetAt, minutes, isKnown }: UsageWindow, now: number): Pace | undefined {
  if (!isKnown || resetAt === null) return undefined;
  const reset = Date.parse(resetAt);
  return paceOf({ usedPercent: 100 - remaining, startedAt: reset - minutes * 60_000, resetAt: reset }, now);
}

/** Both usage windows of an account. */
export function windowsOf(account: Account): { primary: UsageWindow; secondary: UsageWindow } {
  const isObserved = account.usage_observed_at !== null;
  return {
    primary: {
      name: 'Primary',
      remaining: account.usage.primary_remaining_percent,
      resetAt: account.reset_at_primary,
      minutes: account.window_minutes_primary,
      capacity: account.capacity_credits_primary,
      left: account.remaining_credits_primary,
      isKnown: isObserved && account.reset_at_primary !== null,
    },
    secondary: {
      name: 'Secondary',
      remaining: account.usage.secondary_remaining_percent,
      resetAt: account.reset_at_secondary,
      minutes: account.window_minutes_secondary,
      capacity: account.capacity_credits_secondary,
      left: account.remaining_credits_secondary,
      isKnown: isObserved && account.reset_at_secondary !== null,
    },
  };
}

/** Accounts that need attention first, then by name. */
const URGENCY = ['deactivated', 'failing', 'quota_exceeded', 'rate_limited', 'cooling', 'available', 'paused'] as const;

export const byUrgency = (a: Account, b: Account): number =>
  urgencyOf(a) - urgencyOf(b) ||
  a.email.localeCompare(b.email, 'en', { numeric: true }) ||
  a.account_id.localeCompare(b.account_id);

const urgencyOf = (account: Account): number =>
  URGENCY.indexOf(isFailing(account) ? 'failing' : account.availability.state);

/** E-mail addresses of several accounts: those accounts show their IDs too. */
export function ambiguousEmails(accounts: readonly Account[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const duplicates = new Set<string>();
  for (const { email } of accounts) (seen.has(email) ? duplicates : seen).add(email);
  return duplicates;
}

export const matches = (account: Account, search: string): boolean =>
  [account.email, account.display_name, account.account_id, account.plan_type].some((text) =>
    text.toLowerCase().includes(search.trim().toLowerCase()),
  );

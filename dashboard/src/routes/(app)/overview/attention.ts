import { accountStatusOf, isFailing, lastFailureText, rateText, tokenStatusOf } from '#lib/accounts/accountStatus.ts';
import type { Schemas } from '#lib/api/client.ts';
import { counted, percent } from '#lib/format/numbers.ts';
import { type Key, keyStatusOf, limitText, useOf } from '../api-keys/limits.ts';
import { serviceProblems } from './serviceProblems.ts';

type Account = Schemas['Account'];

/** What a button in the list does. */
export type AttentionCommand = 'acceptClock';

/** A problem that an operator should look at. */
export interface AttentionItem {
  readonly tone: 'bad' | 'warn';
  readonly text: string;
  readonly detail: string | null;
  /** When it happened or ends; shown after `detail`. */
  readonly at: { readonly label: string; readonly time: string; readonly as: 'ago' | 'left' } | null;
  /** null when no page of the dashboard helps; then `detail` says what to do. */
  readonly action:
    | { readonly label: string; readonly href: string; readonly write?: 'POST /api/oauth/start' }
    | { readonly label: string; readonly command: AttentionCommand }
    | null;
}

/** Input for the list. */
export interface ServiceState {
  readonly status?: Schemas['Status'] | undefined;
  readonly accounts: readonly Account[];
  readonly keys: readonly Key[];
  readonly refreshSeconds: number;
  readonly now: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
/** A sample that differs little from the last one is omitted for up to 15 minutes, and one may be missed. */
const MIN_SILENCE_MS = 30 * MINUTE_MS;
/** Items of one kind; more are shown as one line. */
const MAX_PER_KIND = 3;

/** Problems, worst first. Excludes those that end by themselves, unless no account can serve in the meantime. */
export function attentionItems(state: ServiceState): AttentionItem[] {
  const service = state.status ? serviceProblems(state.status) : [];
  const all = [...service, ...noAvailableAccount(state), ...accountProblems(state), ...keyProblems(state)];
  return [...all.filter(({ tone }) => tone === 'bad'), ...all.filter(({ tone }) => tone === 'warn')];
}

function noAvailableAccount({ accounts }: ServiceState): AttentionItem[] {
  if (accounts.length === 0) return [];
  if (accounts.some(({ availability: { state } }) => state === 'available' || state === 'cooling')) return [];
  const [first] = accounts.flatMap(({ availability: { until } }) => until ?? []).sort();
  return [
    {
      tone: 'bad',
      text: 'No account can serve requests',
      detail: first ? null : 'Reactivate an account or add one.',
      at: first ? { label: 'the first is available in', time: first, as: 'left' } : null,
      action: { label: 'Accounts', href: '/accounts' },
    },
  ];
}

function accountProblems({ accounts, refreshSeconds, now }: ServiceState): AttentionItem[] {
  const deactivated = accounts.filter(({ status }) => status === 'deactivated');
  const active = accounts.filter(({ status }) => status === 'active');
  const failing = active.filter(isFailing);
  const signedOut = active.filter((account) => tokenStatusOf(account).label === 'Missing');
  const maxSilenceMs = Math.max(MIN_SILENCE_MS, refreshSeconds * 3_000);
  const silent = active.filter(({ usage_observed_at: at }) => at !== null && now - Date.parse(at) > maxSilenceMs);
  const never = active.filter(({ usage_observed_at: at }) => at === null);
  const signIn = ({ account_id }: Account) => ({
    write: 'POST /api/oauth/start' as const,
    label: 'Sign in again',
    href: `/accounts?sign-in=${encodeURIComponent(account_id)}`,
  });
  const view = ({ account_id }: Account) => ({
    label: 'View',
    href: `/accounts?account=${encodeURIComponent(account_id)}`,
  });
  return [
    ...itemsFor(deactivated, 'is deactivated', 'are deactivated', (account) => ({
      tone: 'bad',
      detail: accountStatusOf(account).detail,
      at: null,
      action: signIn(account),
    })),
    ...itemsFor(signedOut, 'must sign in again', 'must sign in again', (account) => ({
      tone: 'bad',
      detail: tokenStatusOf(account).detail,
      at: null,
      action: signIn(account),
    })),
    ...itemsFor(failing, 'is failing', 'are failing', (account) => ({
      tone: 'bad',
      detail: failureDetail(account),
      at: { label: 'last failure', time: account.health.last_failure?.at ?? '', as: 'ago' },
      action: view(account),
    })),
    ...itemsFor(silent, 'has not reported usage recently', 'have not reported usage recently', (account) => ({
      tone: 'warn',
      detail: 'its remaining usage may be outdated',
      at: { label: 'last reported', time: account.usage_observed_at ?? '', as: 'ago' },
      action: view(account),
    })),
    ...itemsFor(never, 'has not reported usage yet', 'have not reported usage yet', (account) => ({
      tone: 'warn',
      detail: 'Until then it counts as unused.',
      at: null,
      action: view(account),
    })),
  ];
}

const failureDetail = ({ health }: Account): string => {
  const last = lastFailureText(health);
  return `${rateText(health)}${last === null ? '' : `: ${last}`}`;
};

function itemsFor(
  accounts: readonly Account[],
  one: string,
  several: string,
  more: (account: Account) => Omit<AttentionItem, 'text'>,
): AttentionItem[] {
  const [first] = accounts;
  if (!first) return [];
  if (accounts.length <= MAX_PER_KIND)
    return accounts.map((account) => ({ text: `${account.email} ${one}`, ...more(account) }));
  const { tone } = more(first);
  const text = `${counted(accounts.length, 'account')} ${several}`;
  return [{ tone, text, detail: null, at: null, action: { label: 'Accounts', href: '/accounts' } }];
}

function keyProblems({ keys, now }: ServiceState): AttentionItem[] {
  return keys.flatMap((key): AttentionItem[] => {
    const action = { label: 'View', href: `/api-keys?key=${key.id}` };
    const status = keyStatusOf(key, now);
    if (status.label === 'Expired') {
      const at = { label: 'expired', time: key.expires_at ?? '', as: 'ago' } as const;
      return [{ tone: 'warn', text: `The key ${key.name} has expired`, detail: null, at, action }];
    }
    if (status.label === 'Limit reached' || status.label === 'Near its limit') {
      const [fullest] = [...key.limits].sort((a, b) => shareOf(b) - shareOf(a));
      if (!fullest) return [];
      const isReached = status.label === 'Limit reached';
      return [
        {
          tone: isReached ? 'bad' : 'warn',
          text: isReached ? `The key ${key.name} has reached its limit` : `The key ${key.name} is near its limit`,
          detail: `${limitText(fullest)}, ${percent(shareOf(fullest))} used`,
          at: { label: 'resets in', time: fullest.reset_at, as: 'left' },
          action,
        },
      ];
    }
    const expiresInMs = key.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(key.expires_at) - now;
    if (!key.is_active || expiresInMs > 7 * DAY_MS) return [];
    const at = { label: 'in', time: key.expires_at ?? '', as: 'left' } as const;
    return [{ tone: 'warn', text: `The key ${key.name} expires soon`, detail: null, at, action }];
  });
}

const shareOf = (limit: Key['limits'][number]) => {
  const { usedPercent, reservedPercent } = useOf(limit);
  return usedPercent + reservedPercent;
};

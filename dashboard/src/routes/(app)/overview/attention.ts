import type { Schemas } from '#lib/api/client.ts';
import { counted, percent } from '#lib/format/numbers.ts';
import { standingOf as standingOfAccount, tokenHealthOf } from '../accounts/accountStatus.ts';
import { type Key, limitText, standingOf as standingOfKey, useOf } from '../api-keys/limits.ts';
import { serviceTrouble } from './serviceTrouble.ts';

type Account = Schemas['Account'];

/** Something that somebody should look at, and where. */
export interface Attention {
  readonly tone: 'bad' | 'warn';
  readonly text: string;
  readonly detail: string | null;
  /** Said of `detail`: when this happened or ends. */
  readonly at: { readonly words: string; readonly time: string; readonly as: 'ago' | 'left' } | null;
  /** null: nothing in here helps, and `detail` says what does. */
  readonly action: { readonly label: string; readonly href: string } | null;
}

/** What is known of the service now. */
export interface Known {
  readonly status?: Schemas['Status'] | undefined;
  readonly accounts: readonly Account[];
  readonly keys: readonly Key[];
  readonly refreshSeconds: number;
  readonly now: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
/** A sample that differs little from the last one is left out for up to a quarter of an hour, and one may be missed. */
const MIN_PATIENCE_MS = 30 * MINUTE_MS;
/** Of one kind; more of them become one line. */
const MAX_OF_A_KIND = 3;

/** What needs somebody, the worst first. Nothing that ends by itself is among it, unless nobody is served meanwhile. */
export function attentionOf(known: Known): Attention[] {
  const service = known.status ? serviceTrouble(known.status) : [];
  const all = [...service, ...nobodyServes(known), ...accountTrouble(known), ...keyTrouble(known)];
  return [...all.filter(({ tone }) => tone === 'bad'), ...all.filter(({ tone }) => tone === 'warn')];
}

function nobodyServes({ accounts }: Known): Attention[] {
  if (accounts.length === 0) return [];
  if (accounts.some(({ availability: { state } }) => state === 'available' || state === 'cooling')) return [];
  const [first] = accounts.flatMap(({ availability: { until } }) => until ?? []).sort();
  return [
    {
      tone: 'bad',
      text: 'No account can serve requests',
      detail: first ? null : 'Reactivate an account or add one.',
      at: first ? { words: 'the first is available in', time: first, as: 'left' } : null,
      action: { label: 'Accounts', href: '/accounts' },
    },
  ];
}

function accountTrouble({ accounts, refreshSeconds, now }: Known): Attention[] {
  const deactivated = accounts.filter(({ status }) => status === 'deactivated');
  const active = accounts.filter(({ status }) => status === 'active');
  const signedOut = active.filter((account) => tokenHealthOf(account).label === 'Missing');
  const patienceMs = Math.max(MIN_PATIENCE_MS, refreshSeconds * 3_000);
  const silent = active.filter(({ usage_observed_at: at }) => at !== null && now - Date.parse(at) > patienceMs);
  const never = active.filter(({ usage_observed_at: at }) => at === null);
  const signIn = ({ account_id }: Account) => ({
    label: 'Sign in again',
    href: `/accounts?sign-in=${encodeURIComponent(account_id)}`,
  });
  const look = ({ account_id }: Account) => ({
    label: 'View',
    href: `/accounts?account=${encodeURIComponent(account_id)}`,
  });
  return [
    ...lines(deactivated, 'is deactivated', 'are deactivated', (account) => ({
      tone: 'bad',
      detail: standingOfAccount(account).detail,
      at: null,
      action: signIn(account),
    })),
    ...lines(signedOut, 'must sign in again', 'must sign in again', (account) => ({
      tone: 'bad',
      detail: tokenHealthOf(account).detail,
      at: null,
      action: signIn(account),
    })),
    ...lines(silent, 'has not reported usage recently', 'have not reported usage recently', (account) => ({
      tone: 'warn',
      detail: 'its remaining usage may be outdated',
      at: { words: 'last reported', time: account.usage_observed_at ?? '', as: 'ago' },
      action: look(account),
    })),
    ...lines(never, 'has not reported usage yet', 'have not reported usage yet', (account) => ({
      tone: 'warn',
      detail: 'Until then it counts as unused.',
      at: null,
      action: look(account),
    })),
  ];
}

function lines(
  accounts: readonly Account[],
  one: string,
  several: string,
  more: (account: Account) => Omit<Attention, 'text'>,
): Attention[] {
  const [first] = accounts;
  if (!first) return [];
  if (accounts.length <= MAX_OF_A_KIND)
    return accounts.map((account) => ({ text: `${account.email} ${one}`, ...more(account) }));
  const { tone } = more(first);
  const text = `${counted(accounts.length, 'account')} ${several}`;
  return [{ tone, text, detail: null, at: null, action: { label: 'Accounts', href: '/accounts' } }];
}

function keyTrouble({ keys, now }: Known): Attention[] {
  return keys.flatMap((key): Attention[] => {
    const action = { label: 'View', href: `/api-keys?key=${key.id}` };
    const standing = standingOfKey(key, now);
    if (standing.label === 'Expired') {
      const at = { words: 'expired', time: key.expires_at ?? '', as: 'ago' } as const;
      return [{ tone: 'warn', text: `The key ${key.name} has expired`, detail: null, at, action }];
    }
    if (standing.label === 'Limit reached' || standing.label === 'Near its limit') {
      const [fullest] = [...key.limits].sort((a, b) => shareOf(b) - shareOf(a));
      if (!fullest) return [];
      const isReached = standing.label === 'Limit reached';
      return [
        {
          tone: isReached ? 'bad' : 'warn',
          text: isReached ? `The key ${key.name} has reached its limit` : `The key ${key.name} is near its limit`,
          detail: `${limitText(fullest)}, ${percent(Math.min(100, shareOf(fullest)))} used`,
          at: { words: 'resets in', time: fullest.reset_at, as: 'left' },
          action,
        },
      ];
    }
    const expiresInMs = key.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(key.expires_at) - now;
    if (!key.is_active || expiresInMs > 7 * DAY_MS) return [];
    const at = { words: 'in', time: key.expires_at ?? '', as: 'left' } as const;
    return [{ tone: 'warn', text: `The key ${key.name} expires soon`, detail: null, at, action }];
  });
}

const shareOf = (limit: Key['limits'][number]) => {
  const { usedPercent, reservedPercent } = useOf(limit);
  return usedPercent + reservedPercent;
};

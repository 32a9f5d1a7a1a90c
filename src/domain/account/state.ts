import type { AccountId, Instant, Sealed } from '../core/brands.ts';
import type { Recorded } from '../core/event.ts';
import type { AccountEvent, AccountStatus, ImportedAccount } from './events.ts';

export interface Account {
  readonly id: AccountId;
  readonly upstreamAccountId: string | null;
  readonly email: Sealed | null;
  readonly displayName: Sealed | null;
  readonly planType: string;
  readonly hasReadableIdToken: boolean;
  readonly status: AccountStatus;
  /** Why it is deactivated; null in every other status. */
  readonly deactivationReason: string | null;
  /** The address of the account's own proxy; null: calls leave as the environment says. */
  readonly proxy: Sealed | null;
  /** Where its requests are processed, as its tokens say; absent: anywhere, or not known. */
  readonly region?: string | undefined;
  readonly importedAt: Instant;
}

/** `undefined`: never imported, or deleted. */
export type AccountState = Account | undefined;

export const initialState: AccountState = undefined;

export function evolve(account: AccountState, { type, data, time }: Recorded<AccountEvent>): AccountState {
  switch (type) {
    case 'AccountImported':
      return {
        ...identityOf(data),
        id: data.accountId,
        status: 'active',
        deactivationReason: null,
        proxy: data.proxy ?? null,
        importedAt: time,
      };
    case 'AccountTokensReplaced':
      // New tokens without a proxy leave the account's own in place.
      return (
        account && {
          ...account,
          ...identityOf(data),
          ...reactivated(account.status),
          proxy: data.proxy ?? account.proxy,
        }
      );
    case 'AccountPlanChanged':
      return account && { ...account, planType: data.to };
    case 'AccountPaused':
      return account && { ...account, status: 'paused', deactivationReason: null };
    case 'AccountReactivated':
      return account && { ...account, status: 'active', deactivationReason: null };
    case 'AccountDeactivated':
      return account && { ...account, status: 'deactivated', deactivationReason: data.reason };
    case 'AccountProxyChanged':
      return account && { ...account, proxy: data.proxy };
    case 'AccountDeleted':
      return undefined;
  }
}

/** New tokens reactivate a deactivated account; only the operator ends a pause. */
const reactivated = (status: AccountStatus) =>
  ({ status: status === 'paused' ? 'paused' : 'active', deactivationReason: null }) as const;

const identityOf = ({
  upstreamAccountId,
  email,
  displayName,
  planType,
  hasReadableIdToken,
  region,
}: ImportedAccount) => ({
  upstreamAccountId,
  email,
  displayName,
  planType,
  hasReadableIdToken,
  region,
});

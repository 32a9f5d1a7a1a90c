import type { ImportedAccount } from '../../domain/account/events.ts';
import type { Account } from '../../domain/account/state.ts';
import type { AccountId, Instant } from '../../domain/core/brands.ts';
import type { Vault } from '../../vault/vault.ts';
import { opened } from '../resources/accountSummary.ts';
import type { AuthFile } from './authFile.ts';

/** Making and destroying the data keys of one account must not overlap. */
export const keysOf = (accountId: AccountId) => `keys-${accountId}`;

/** The digest needs the installation's key, so an id tells nobody else whose e-mail it is. */
export function accountIdOf({ upstreamAccountId, email }: AuthFile, vault: Vault, newId: () => string): AccountId {
  const digest = email === null ? null : vault.digest('email', email.toLowerCase());
  if (upstreamAccountId !== null) {
    return (digest === null ? upstreamAccountId : `${upstreamAccountId}_${digest.slice(0, 8)}`) as AccountId;
  }
  if (digest !== null) return `email_${digest.slice(0, 12)}` as AccountId;
  return `local_${newId().replaceAll('-', '').slice(-12)}` as AccountId;
}

/** An account as the log takes it, under a data key of its own. */
export function sealedAccount(
  file: AuthFile,
  accountId: AccountId,
  vault: Vault,
  keyId: string,
  now: Instant,
): ImportedAccount {
  const seal = (plain: string) => vault.seal(keyId, plain);
  return {
    accountId,
    upstreamAccountId: file.upstreamAccountId,
    email: file.email === null ? null : seal(file.email),
    displayName: file.displayName === null ? null : seal(file.displayName),
    planType: file.planType,
    hasReadableIdToken: file.hasReadableIdToken,
    tokens: {
      access: seal(file.accessToken),
      refresh: seal(file.refreshToken),
      idToken: seal(file.idToken),
      accessExpiresAt: file.accessExpiresAt,
      refreshedAt: file.refreshedAt ?? now,
    },
  };
}

/** Whether fresh tokens are those of a known account: nothing that both name differs, and something that both name agrees. */
export function isOf(account: Account, file: AuthFile, vault: Vault): boolean {
  if (accountIdOf(file, vault, () => '') === account.id) return true;
  const email = opened(account.email, vault);
  const agreements = [
    agreement(account.upstreamAccountId, file.upstreamAccountId),
    agreement(email?.toLowerCase() ?? null, file.email?.toLowerCase() ?? null),
  ].filter((agrees) => agrees !== undefined);
  return agreements.length > 0 && agreements.every((agrees) => agrees);
}

const agreement = (one: string | null, other: string | null): boolean | undefined =>
  one === null || other === null ? undefined : one === other;

import type { ImportedAccount } from '../../domain/account/events.ts';
import type { Account } from '../../domain/account/state.ts';
import type { AccountId, Instant } from '../../domain/core/brands.ts';
import { residencyOf } from '../../provider/client/jwt.ts';
import { openIfSealed } from '../../vault/openIfSealed.ts';
import type { Vault } from '../../vault/vault.ts';
import type { AuthFile } from './authFile.ts';
import { openSealed } from './openSealed.ts';

/** The mutex key that serializes creating and destroying the data keys of one account. */
export const accountKeysMutex = (accountId: AccountId) => `keys-${accountId}`;

/**
 * Derives the account id from the identity by an HMAC under the installation's key: ids stand in stream names and in events that
 * outlive the account, so they must not reveal who it was.
 * @param isKnown whether an account has this id: one that was imported by an earlier version keeps its id, which contains the
 *   provider's
 */
export function accountIdOf(
  { upstreamAccountId, email }: AuthFile,
  { vault, newId, isKnown }: { vault: Vault; newId: () => string; isKnown: (id: AccountId) => boolean },
): AccountId {
  const address = email?.toLowerCase() ?? null;
  const digest = address === null ? null : vault.digest('email', address);
  if (upstreamAccountId !== null) {
    const earlier = (digest === null ? upstreamAccountId : `${upstreamAccountId}_${digest.slice(0, 8)}`) as AccountId;
    if (isKnown(earlier)) return earlier;
    const identity = JSON.stringify([upstreamAccountId, address]);
    return `acct_${vault.digest('account', identity).slice(0, 20)}` as AccountId;
  }
  if (digest !== null) return `email_${digest.slice(0, 12)}` as AccountId;
  return `local_${newId().replaceAll('-', '').slice(-12)}` as AccountId;
}

/**
 * Encrypts tokens, e-mail address and name of an account under one data key, as events record them.
 * @param keyId of the account's data key
 */
export function sealAccount(
  file: AuthFile,
  accountId: AccountId,
  vault: Vault,
  keyId: string,
  now: Instant,
): ImportedAccount {
  const seal = (plain: string) => vault.seal(keyId, plain);
  const region = residencyOf(file.accessToken);
  return {
    accountId,
    upstreamAccountId: file.upstreamAccountId === null ? null : seal(file.upstreamAccountId),
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
    ...(region !== null && { region }),
  };
}

/** Whether new tokens belong to a known account: provider id and e-mail address match where both sides know them. */
export function isSameAccount(account: Account, file: AuthFile, vault: Vault): boolean {
  if (accountIdOf(file, { vault, newId: () => '', isKnown: (id) => id === account.id }) === account.id) return true;
  const email = openSealed(account.email, vault);
  const matches = [
    matchIfKnown(openIfSealed(account.upstreamAccountId, vault), file.upstreamAccountId),
    matchIfKnown(email?.toLowerCase() ?? null, file.email?.toLowerCase() ?? null),
  ].filter((isMatch) => isMatch !== undefined);
  return matches.length > 0 && matches.every((isMatch) => isMatch);
}

/** Undefined when either side is unknown. */
const matchIfKnown = (known: string | null, given: string | null): boolean | undefined =>
  known === null || given === null ? undefined : known === given;

import type { AccountLink } from '../../domain/accountLink/state.ts';
import type { AccountId } from '../../domain/core/brands.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { Vault } from '../../vault/vault.ts';
import { openSealed } from '../accounts/openSealed.ts';
import type { CallbackResult } from './callbackPage.ts';
import { linkErrorMessage } from './linkErrorMessages.ts';

/** Describes why a link failed; null when it has not failed. */
export function linkErrorOf({ progress, target }: AccountLink, state: HotState, vault: Vault): string | null {
  if (progress.kind !== 'failed') return null;
  const nameOf = (accountId: AccountId | null) => {
    const account = accountId === null ? undefined : state.accounts.get(accountId);
    return account && (openSealed(account.email, vault) ?? account.id);
  };
  return linkErrorMessage(progress.code, { expected: nameOf(target), actual: nameOf(progress.accountId) });
}

const SUCCESS_MESSAGES = {
  imported: 'The account is linked.',
  replaced: 'The account is signed in again.',
  skipped: 'The account exists already and was not changed.',
};

/** The page for the browser that the provider redirected back. */
export function callbackResultOf(link: AccountLink, state: HotState, vault: Vault): CallbackResult {
  const { progress } = link;
  switch (progress.kind) {
    case 'done':
      return {
        status: 200,
        code: progress.outcome,
        title: 'Signed in',
        message: `${SUCCESS_MESSAGES[progress.outcome]} You can close this page.`,
      };
    case 'failed':
      return {
        status: 400,
        code: progress.code,
        title: 'Sign-in failed',
        message: `${linkErrorOf(link, state, vault) ?? ''}.`,
      };
    default:
      return {
        status: 200,
        code: 'pending',
        title: 'Almost done',
        message: 'The sign-in is being recorded. The dashboard shows when it is complete; you can close this page.',
      };
  }
}

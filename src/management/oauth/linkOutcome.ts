import type { AccountLink } from '../../domain/accountLink/state.ts';
import type { AccountId } from '../../domain/core/brands.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import type { Vault } from '../../vault/vault.ts';
import { opened } from '../resources/accountSummary.ts';
import type { CallbackResult } from './callbackPage.ts';
import { linkProblem } from './linkErrorMessages.ts';

/** Why a link failed, in words; null when it has not. */
export function problemOf({ progress, target }: AccountLink, state: HotState, vault: Vault): string | null {
  if (progress.kind !== 'failed') return null;
  const nameOf = (accountId: AccountId | null) => {
    const account = accountId === null ? undefined : state.accounts.get(accountId);
    return account && (opened(account.email, vault) ?? account.id);
  };
  return linkProblem(progress.code, { wanted: nameOf(target), came: nameOf(progress.accountId) });
}

const DONE = {
  imported: 'The account is linked.',
  replaced: 'The account is signed in anew.',
  skipped: 'The account was there already, and was left as it was.',
};

/** What the browser shows that came back from the provider. */
export function resultOf(link: AccountLink, state: HotState, vault: Vault): CallbackResult {
  const { progress } = link;
  switch (progress.kind) {
    case 'done':
      return {
        status: 200,
        code: progress.outcome,
        title: 'Signed in',
        message: `${DONE[progress.outcome]} You can close this page.`,
      };
    case 'failed':
      return {
        status: 400,
        code: progress.code,
        title: 'Not signed in',
        message: `${problemOf(link, state, vault) ?? ''}.`,
      };
    default:
      return {
        status: 200,
        code: 'pending',
        title: 'Nearly there',
        message: 'The sign-in is being written down. The dashboard shows when it is done; you can close this page.',
      };
  }
}

import { isProxyFailureCode } from '../../provider/outgoingProxy/proxyFailure.ts';

/** Messages by the code that the log stores for a failed link: what happened, then what to do. */
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['cancelled', 'The sign-in was cancelled'],
  ['expired', 'The sign-in expired: start again'],
  ['expired_token', 'The device code expired before it was entered: start again'],
  ['code_expired', 'The device code expired before it was entered: start again'],
  ['access_denied', 'Access was denied at the provider: start again and allow it there'],
  ['authorization_declined', 'Access was denied at the provider: start again and allow it there'],
  [
    'interrupted',
    'The service stopped while it completed this sign-in, which cannot be resumed. Nothing was changed: start again',
  ],
  ['invalid_response', 'The provider did not return all three tokens: start again'],
  ['invalid_grant', 'The provider did not accept the code, which works once and for a short time: start again'],
  ['invalid_auth_json', 'The tokens from the provider cannot be used: start again'],
  ['account_not_found', 'The account was deleted in the meantime. Nothing was changed'],
  [
    'duplicate_identity_conflict',
    'This account exists already and was not changed: sign it in again from its own page, or start again with on_duplicate "replace"',
  ],
]);

/**
 * Describes why linking an account failed, without a full stop at the end.
 * @param accounts names, where known, of the account to sign in and of the one that was signed in
 */
export function linkErrorMessage(
  code: string,
  accounts: { readonly expected?: string | undefined; readonly actual?: string | undefined } = {},
): string {
  if (isProxyFailureCode(code)) {
    return `The proxy between svc and the provider failed (${code}), so the sign-in was not completed: mend it, then start again`;
  }
  if (code !== 'wrong_account')
    return MESSAGES.get(code) ?? `The provider did not complete the sign-in (${code}): start again`;
  const expected = accounts.expected ?? 'the account to sign in again';
  const actual = accounts.actual ?? 'another account';
  return `The sign-in was for ${actual} instead of ${expected}. Nothing was changed: start again and sign in as ${expected}`;
}

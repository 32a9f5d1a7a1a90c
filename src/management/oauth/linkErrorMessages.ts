/** Why linking an account ended without one, by the code that the log keeps; what to do comes last. */
const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['cancelled', 'The sign-in was cancelled'],
  ['expired', 'Nobody signed in in time: begin again'],
  ['expired_token', 'The device code ran out before somebody entered it: begin again'],
  ['code_expired', 'The device code ran out before somebody entered it: begin again'],
  ['access_denied', 'The sign-in was refused at the provider: begin again, and allow it there'],
  ['authorization_declined', 'The sign-in was refused at the provider: begin again, and allow it there'],
  [
    'interrupted',
    'The service was stopped while it completed this sign-in, which cannot be repeated; nothing was changed. Begin again',
  ],
  ['invalid_response', 'The provider did not give all three tokens: begin again'],
  ['invalid_grant', 'The provider did not accept the code, which works once and for a short time: begin again'],
  ['invalid_auth_json', 'The tokens that the provider gave cannot be used: begin again'],
  ['account_not_found', 'The account was deleted in the meantime; nothing was changed'],
  [
    'duplicate_identity_conflict',
    'This account is there already and was left as it was: sign it in anew by itself, or begin again with on_duplicate "replace"',
  ],
]);

/** A problem in words. `accounts` name, where known, who was wanted and who came. */
export function linkProblem(
  code: string,
  accounts: { wanted?: string | undefined; came?: string | undefined } = {},
): string {
  if (code !== 'wrong_account')
    return PROBLEMS.get(code) ?? `The provider did not complete the sign-in (${code}): begin again`;
  const wanted = accounts.wanted ?? 'the account that was to be signed in anew';
  const came = accounts.came === undefined ? 'another account' : accounts.came;
  return `Somebody signed in as ${came} instead of ${wanted}; nothing was changed. Begin again, and sign in as ${wanted}`;
}

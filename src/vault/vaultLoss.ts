/** What an operator can do about keys that are lost. */
const WAYS_ON =
  'Restore vault.sqlite from a backup, together with master.key. To go on without them, run "svc accept-loss --vault", which ' +
  'starts with a new vault and lists the accounts that must sign in again.';

/** The vault of a log that has events is missing or empty. */
export class VaultMissing extends Error {
  override readonly name = 'VaultMissing';
  readonly code = 'VAULT_MISSING';
  constructor(path: string) {
    super(
      `${path} is missing or empty, but the event log has events: the keys of what is sealed in it are lost. ${WAYS_ON}`,
    );
  }
}

const MAX_NAMED = 10;

/** The vault lacks keys of tokens in the event log. */
export class VaultLacksKeys extends Error {
  override readonly name = 'VaultLacksKeys';
  readonly code = 'VAULT_LACKS_KEYS';
  constructor(path: string, accounts: readonly string[], total: number) {
    super(`${describeLackingKeys(path, accounts, total)} ${WAYS_ON}`);
  }
}

/** @param accounts the accounts whose keys are lacking @param total number of all accounts with tokens */
export function describeLackingKeys(path: string, accounts: readonly string[], total: number): string {
  const more = accounts.length > MAX_NAMED ? ` and ${accounts.length - MAX_NAMED} more` : '';
  const named = `${accounts.slice(0, MAX_NAMED).join(', ')}${more}`;
  return (
    `${path} lacks the keys of ${accounts.length} of ${total} accounts (${named}): it was lost, or is older than the event ` +
    'log, and their tokens and e-mail addresses cannot be decrypted.'
  );
}

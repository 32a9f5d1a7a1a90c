import { randomBytes } from 'node:crypto';
import { BUILT_IN_ADMINISTRATOR } from '../../domain/core/builtInAdministrator.ts';
import { credentialsOf } from '../../domain/operator/credentials.ts';
import type { Capabilities } from '../http/capabilities.ts';
import type { Attempting, CheckCredential } from './credentialCheck.ts';
import type { Passwords } from './passwords.ts';

export interface PasswordAttempt {
  /** Names the credential; each one is throttled separately. */
  readonly credential: string;
  readonly candidate: string;
  /** Undefined: no operator has the name that was given. */
  readonly operatorId: string | undefined;
  /** What is throttled besides the address; by default the operator. */
  readonly account?: string;
  /** Names what is wrong in the error. */
  readonly named?: string;
}

/** @returns the id of the password that matched @throws Refusal `invalid_credentials` | `rate_limit_exceeded` */
export type CheckPassword = (ctx: Attempting, attempt: PasswordAttempt) => Promise<string>;

/**
 * Creates the check of passwords. For an unknown name it compares with a hash that nothing matches: the response takes as
 * long as for a wrong password, so it does not tell which names exist.
 */
export function createPasswordCheck(
  { views, passwords }: Pick<Capabilities, 'views'> & { readonly passwords: Passwords },
  checkCredential: CheckCredential,
): CheckPassword {
  let decoyHash: Promise<string> | undefined;

  return async (ctx, { credential, candidate, operatorId, account = operatorId, named }) => {
    const isBuiltIn = operatorId === BUILT_IN_ADMINISTRATOR;
    if (!isBuiltIn) decoyHash ??= passwords.hash(randomBytes(16).toString('hex'));
    const decoy = await decoyHash;
    return checkCredential(ctx, {
      credential,
      method: 'password',
      async verify() {
        const password = operatorId === undefined ? undefined : credentialsOf(operatorId, views.current)?.password;
        const hash = password?.hash ?? decoy;
        const isMatch = hash !== undefined && (await passwords.matches(candidate, hash));
        return isMatch ? password?.id : undefined;
      },
      refusal: ['invalid_credentials', named === undefined ? {} : { credential: named }],
      ...(!isBuiltIn && account !== undefined && { account }),
      ...(!isBuiltIn && { operatorId }),
    });
  };
}
